import { describe, expect, test } from 'vitest';
import { judge, judgeFixed } from './judge.ts';
import type { Said, SaidFinding } from './said.ts';
import type { Truth } from './truth.ts';

const slowLog = {
  ids: ['slow-output', 'slow-writer'],
  culprit: ['log_step', 'pid 12'],
  part: 'log',
};
const loading = { ids: ['slow-getitem'], culprit: ['decode'], part: 'input' };

const truth = (more: Partial<Truth> = {}): Truth => ({
  ...{ causes: [slowLog], also_right: [], verdicts: ['host-bound'], pid: 7, seconds: 10 },
  ...{ input_share: 0.1, other_shares: { log: 0.6 }, steps: 100, step_seconds: [] },
  ...more,
});

const finding = (id: string, more: Partial<SaidFinding> = {}): SaidFinding => ({
  ...{ id, severity: 'high', confidence: 'proven', share: 0.5, text: 'Write less in log_step' },
  ...more,
});

const said = (findings: readonly SaidFinding[] = [], more: Partial<Said> = {}): Said => ({
  ...{ verdict: 'balanced', headline: '', window: 10, input: { atLeast: 0.05, atMost: 0.7 } },
  phases: { other: 0.65, input: 0.05, h2d: 0, compute: 0.3, collective: 0, idle: 0 },
  ...{ findings },
  ...more,
});

test('a second function of the loop is told as work of its own, and a name makes what is also right the cause', () => {
  const work = { ids: ['host-work'], culprit: ['digest_file'], part: 'log' };
  const metrics = { ids: ['host-work'], culprit: ['edit_distance'], part: 'input' };
  const both = truth({ causes: [metrics, work] });
  const told = [
    finding('host-work', { text: 'in digest_file' }),
    finding('more-host-work', { text: 'in edit_distance' }),
  ];
  expect(judge(both, said(told))).toMatchObject({ grade: 'right', falseAlarms: [] });
  const job = truth({ causes: [loading], also_right: ['slow-getitem'] });
  expect(judge(job, said([finding('slow-getitem', { text: 'in decode' })])).grade).toBe('right');
  expect(judge(job, said([finding('slow-getitem')])).grade).toBe('vague');
});

test('the loop’s own work may go by another name, where its function and its time are told', () => {
  const metric = { ids: ['host-metrics'], culprit: ['best_spans'], part: 'log' };
  const job = truth({ causes: [metric] });
  const told = (more: Partial<SaidFinding>) =>
    judge(job, said([finding('host-work', { share: 0.58, text: 'in best_spans', ...more })]));
  expect(told({})).toMatchObject({ grade: 'right', culprit: true, falseAlarms: [] });
  expect(told({ text: 'in train' })).toMatchObject({ falseAlarms: ['host-work'] });
  expect(told({ share: 0.5 })).toMatchObject({ grade: 'wrong', falseAlarms: ['host-work'] });
  const other = judge(truth(), said([finding('host-work', { share: 0.6 })]));
  expect(other).toMatchObject({ falseAlarms: ['host-work'] });
});

describe('what is said of a job with one cause', () => {
  test('is right where its finding comes first and names the culprit', () => {
    expect(judge(truth(), said([finding('slow-output')]))).toMatchObject({
      grade: 'right',
      culprit: true,
      falseAlarms: [],
      violations: [],
    });
    const other = finding('slow-writer', { text: 'pid 12 reads slowly' });
    expect(judge(truth(), said([other])).grade).toBe('right');
  });

  test('is right behind something else that is true, and behind what costs nothing', () => {
    const job = truth({ also_right: ['cpu-wait'] });
    const spawn = finding('spawn', { severity: 'info' });
    const before = [spawn, finding('cpu-wait'), finding('slow-output')];
    expect(judge(job, said(before))).toMatchObject({ grade: 'right', falseAlarms: [] });
  });

  test('copying from pageable memory is true as far as the job timed it, and no further', () => {
    const job = truth({ other_shares: { log: 0.6, copying: 0.2 } });
    const copies = (share: number) => [finding('pin-memory', { share }), finding('slow-output')];
    expect(judge(job, said(copies(0.21)))).toMatchObject({ grade: 'right', falseAlarms: [] });
    const tooMuch = judge(job, said(copies(0.3)));
    expect(tooMuch).toMatchObject({ grade: 'vague', falseAlarms: ['pin-memory'] });
  });

  test('is vague without the culprit, behind what is not true, or where only the verdict is right', () => {
    const nameless = finding('slow-output', { text: 'Something writes' });
    expect(judge(truth(), said([nameless]))).toMatchObject({ grade: 'vague', culprit: false });
    const second = judge(truth(), said([finding('pin-memory'), finding('slow-output')]));
    expect(second).toMatchObject({ grade: 'vague', falseAlarms: ['pin-memory'] });
    expect(judge(truth(), said([], { verdict: 'host-bound' })).grade).toBe('vague');
    expect(judge(truth({ also_right: ['cpu-wait'] }), said([finding('cpu-wait')])).grade).toBe(
      'vague',
    );
  });

  test('is vague where much can be won, and it is called little', () => {
    const low = said([finding('slow-output', { severity: 'low', share: 0.04 })]);
    expect(judge(truth(), low, { wonSeconds: 3 }).grade).toBe('vague');
    expect(judge(truth(), low, { wonSeconds: 1 }).grade).toBe('right');
    const high = said([finding('slow-output')]);
    expect(judge(truth(), high, { wonSeconds: 3 }).grade).toBe('right');
  });

  test('is wrong where something else is blamed, silent where little or nothing is', () => {
    expect(judge(truth(), said([finding('pin-memory')]))).toMatchObject({
      grade: 'wrong',
      falseAlarms: ['pin-memory'],
    });
    expect(judge(truth(), said()).grade).toBe('silent');
    const low = judge(truth(), said([finding('pin-memory', { severity: 'low' })]));
    expect(low).toMatchObject({ grade: 'silent', falseAlarms: [] });
  });
});

test('two causes must both be told before anything else', () => {
  const job = truth({ causes: [slowLog, loading] });
  const both = [finding('slow-getitem', { text: 'decode (a.py:3)' }), finding('slow-output')];
  expect(judge(job, said(both)).grade).toBe('right');
  expect(judge(job, said(both.slice(1)))).toMatchObject({ grade: 'vague', culprit: false });
  const between = [...both.slice(0, 1), finding('pin-memory'), ...both.slice(1)];
  expect(judge(job, said(between)).grade).toBe('vague');
});

test('of a healthy job nothing may be said, and its verdict must fit', () => {
  const healthy = truth({ causes: [], verdicts: ['compute-bound'] });
  const low = finding('pin-memory', { severity: 'low' });
  const of = (findings: readonly SaidFinding[], verdict: string) =>
    judge(healthy, said(findings, { verdict })).grade;
  expect(of([low], 'compute-bound')).toBe('right');
  expect(of([finding('pin-memory', { severity: 'medium' })], 'compute-bound')).toBe('wrong');
  expect(of([], 'input-bound')).toBe('wrong');
  expect(of([], 'unknown')).toBe('vague');
});

test('a neighbour is no false alarm where others did take the CPUs', () => {
  const found = said([finding('noisy-neighbour'), finding('slow-output')]);
  const quiet = judge(truth(), found, { othersShare: 0.1 });
  expect(quiet).toMatchObject({ grade: 'vague', falseAlarms: ['noisy-neighbour'] });
  const busy = judge(truth(), found, { othersShare: 0.5 });
  expect(busy).toMatchObject({ grade: 'right', falseAlarms: [] });
});

describe('bounds', () => {
  test('of input hold up to the difference of two clocks', () => {
    const of = (atLeast: number, atMost: number, window = 10) =>
      judge(truth({ input_share: 0.3 }), said([], { window, input: { atLeast, atMost } }))
        .violations;
    expect(of(0.31, 0.29)).toEqual([]);
    expect(of(0.33, 0.9)).toEqual(['input takes at least 33.0 %, in truth 30.0 %']);
    expect(of(0.1, 0.27)).toEqual(['input takes at most 27.0 %, in truth at least 30.0 %']);
    expect(of(0.35, 0.3, 9)).toEqual([]);
    expect(of(0.36, 0.4, 9)).toEqual(['input takes at least 36.0 %, in truth 33.3 %']);
    expect(of(0.1, 0.19, 9)).toEqual(['input takes at most 19.0 %, in truth at least 22.2 %']);
  });

  test('of what can be won hold for the whole loop, where a part of it was judged', () => {
    const of = (gainUpTo: number, won: number | undefined, window = 10) =>
      judge(truth(), said([finding('slow-output', { gainUpTo })], { window }), { wonSeconds: won })
        .violations;
    expect(of(5, 5.2)).toEqual([]);
    expect(of(5, 5.4)).toEqual(['slow-output wins back at most 5.00 s, in truth 5.40 s']);
    expect(of(4, 5.2, 8)).toEqual([]);
    expect(of(0, undefined)).toEqual([]);
  });

  test('of a process that was not found are none', () => {
    const unfound = said([], { window: 0, input: { atLeast: 0, atMost: 1 } });
    expect(judge(truth(), unfound, { wonSeconds: 5 }).violations).toEqual([]);
  });
});

test('without its cause a job must not be told of it, and no bound may break', () => {
  expect(judgeFixed(truth(), said([finding('pin-memory')]))).toMatchObject({ grade: 'right' });
  const low = finding('slow-output', { severity: 'low' });
  expect(judgeFixed(truth(), said([low])).grade).toBe('right');
  expect(judgeFixed(truth(), said([finding('slow-output', { share: 0.63 })]))).toMatchObject({
    grade: 'wrong',
    falseAlarms: ['slow-output'],
  });
  // What the job itself still spends on it may be told.
  expect(judgeFixed(truth(), said([finding('slow-output', { share: 0.61 })])).grade).toBe('right');
  const ranks = truth({
    causes: [{ ids: ['collective'], culprit: ['gather'], part: 'metrics' }],
    other_shares: { metrics: 0.02, gradients: 0.14 },
  });
  expect(judgeFixed(ranks, said([finding('collective', { share: 0.16 })])).grade).toBe('right');
  expect(judgeFixed(ranks, said([finding('collective', { share: 0.2 })])).grade).toBe('wrong');
  const tooMuch = said([], { input: { atLeast: 0.5, atMost: 0.6 } });
  expect(judgeFixed(truth(), tooMuch).violations).toHaveLength(1);
});
