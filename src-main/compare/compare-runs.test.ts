import { describe, expect, test } from 'vitest';
import { activeParts } from '../../test/support/page/github-markdown.ts';
import type { RunEnvironment } from '../shared/answers/run-environment.ts';
import type { RunFinding, RunSummary } from '../shared/answers/run-summary.ts';
import { ratioCell } from '../shared/words/comparison-words.ts';
import { compareRuns } from './compare-runs.ts';
import { comparisonMarkdown } from './comparison-markdown.ts';
import { runSummary as run } from './testing/run-summary.ts';

const MS = 1e6;

const slow: RunFinding = {
  ...{ id: 'slow-getitem', title: 'The dataset takes long', costPerStepNs: 30 * MS },
};

test('a run compared with itself has not changed', () => {
  const { verdict, step } = compareRuns(run(), run());
  expect([verdict, step?.ratio]).toEqual(['no-measurable-change', 1]);
});

test('of a change that is sure but small it is not said that it cannot be measured', () => {
  const { verdict, sentence, step } = compareRuns(run({ stepMs: 1000 }), run({ stepMs: 1010 }));
  expect(step?.low).toBeGreaterThan(1);
  expect(verdict).toBe('no-measurable-change');
  expect(sentence).toMatch(/^Hardly any change: .*\. A mean step takes 1\.01/);
  expect(compareRuns(run(), run()).sentence).toMatch(/^No measurable change\. A/);
});

test('shorter steps are told with their interval, and by part; a cause that is gone has the credit', () => {
  const found = compareRuns(run({ findings: [slow] }), run({ stepMs: 70 }));
  expect(found.verdict).toBe('improved');
  expect(found.sentence).toMatch(
    /^Faster\. A mean step takes 70\.\d+ ms instead of 100\.\d+ ms: 30\.0 % shorter \(95 % interval: /,
  );
  expect(found.parts.map(({ label, ratio }) => [label, ratio?.toFixed(2)])).toEqual([
    ['Waiting for input', '0.70'],
    ['Computing, or waiting for the GPU', '0.70'],
  ]);
  expect(found.findings).toMatchObject([
    {
      ...{ became: 'gone', credited: true },
      note: expect.stringMatching(
        /^By its cost it accounts for (all 30\.00 ms|30\.00 ms of the 30\.00 ms) by which a step is shorter, and nothing else that is compared differs\.$/,
      ),
    },
  ]);
});

test('swapped, it is slower by the inverse', () => {
  const { verdict, step } = compareRuns(run({ stepMs: 70 }), run());
  expect([verdict, step?.ratio?.toFixed(4)]).toEqual(['worse', (1 / 0.7).toFixed(4)]);
});

test('another cause of the difference holds the credit back', () => {
  const driver = { environment: { drivers: ['560.2'] } };
  const found = compareRuns(run({ findings: [slow] }), run({ stepMs: 70, ...driver }));
  expect(found.verdict).toBe('improved');
  expect(found.sentence).toContain('this differs too: GPU driver');
  expect(found.findings).toMatchObject([{ became: 'gone', credited: false }]);
  expect(found.differences).toMatchObject([
    { what: 'GPU driver', first: '550.1', second: '560.2' },
  ]);
});

describe('is not comparable', () => {
  test.each<[string, Partial<RunEnvironment>]>([
    ['GPUs', { gpus: ['A100'] }],
    ['Ranks', { ranks: 2 }],
    ['Made by', { madeBy: 'simulated' }],
  ])('with other %s, however short a step is', (what, environment) => {
    const { verdict, sentence, step, parts } = compareRuns(run(), run({ stepMs: 10, environment }));
    expect(verdict).toBe('not-comparable');
    expect(step).toMatchObject({ firstNs: expect.any(Number) });
    expect([step, ...parts].some((figure) => figure !== undefined && 'ratio' in figure)).toBe(
      false,
    );
    expect(sentence).toContain(`What differs: ${what} (`);
  });
});

test('of runs that are not comparable no finding is gone or new', () => {
  const pinned: RunFinding = { id: 'pin-memory', title: 'Copies', costPerStepNs: 1 * MS };
  const zero: RunFinding = { id: 'workers-zero', title: 'Loads itself', costPerStepNs: 40 * MS };
  const first = run({ findings: [slow, pinned] });
  const other = run({ environment: { gpus: ['A100'] }, findings: [pinned, zero] });
  expect(compareRuns(first, other).findings).toEqual([
    { id: slow.id, title: slow.title, became: 'in-first', firstNs: 30 * MS },
    { id: 'pin-memory', title: 'Copies', became: 'in-both', firstNs: 1 * MS, secondNs: 1 * MS },
    { id: 'workers-zero', title: 'Loads itself', became: 'in-second', secondNs: 40 * MS },
  ]);
});

test('GPUs of one model are counted', () => {
  const four = run({ environment: { gpus: ['A100', 'A100', 'A100', 'V100'] } });
  expect(compareRuns(four, run()).differences[0]).toMatchObject({
    what: 'GPUs',
    first: '3 × A100, V100',
    second: 'RTX 4090',
  });
});

test('without steps, or with few, that is said', () => {
  const { steps: _, ...none } = run();
  expect(compareRuns(none, run())).toMatchObject({ verdict: 'cannot-tell', parts: [] });
  expect(compareRuns(run({ steps: 3 }), run()).verdict).toBe('cannot-tell');
  expect(compareRuns(run({ steps: 12 }), run()).sentence).toContain('Only 12 steps of a run');
});

test('a gone finding without a shorter step was not what slowed it', () => {
  const [gone] = compareRuns(run({ findings: [slow] }), run()).findings;
  expect(gone).toMatchObject({
    credited: false,
    note: expect.stringContaining('not measurably shorter'),
  });
});

describe('a gone finding has no credit alone', () => {
  const pinned: RunFinding = { id: 'pin-memory', title: 'Copies', costPerStepNs: 1 * MS };
  const zero: RunFinding = { id: 'workers-zero', title: 'Loads itself', costPerStepNs: 40 * MS };
  const fast = (environment: Partial<RunEnvironment>, findings: readonly RunFinding[] = []) =>
    run({ stepMs: 60, environment, findings });
  const creditsOf = (first: RunSummary, second: RunSummary) =>
    compareRuns(first, second).findings.map(({ id, credited, note = '' }) => ({
      ...{ id, credited, note },
    }));

  test('where it cost far less than what was gained', () => {
    const [small, ...more] = creditsOf(run({ findings: [pinned] }), fast({}));
    expect(more).toEqual([]);
    expect(small).toMatchObject({
      credited: false,
      note: expect.stringMatching(
        /accounts for 1\.000 ms of the .*Its cost does not explain the rest/,
      ),
    });
  });

  test('where another one that is gone, or smaller, cost as much', () => {
    const first = run({ findings: [zero, { ...slow, costPerStepNs: 45 * MS }] });
    for (const left of [[], [{ ...slow, costPerStepNs: 2 * MS }]]) {
      const [loads] = creditsOf(first, fast({}, left));
      expect(loads).toMatchObject({ id: 'workers-zero', credited: false });
      expect(loads?.note).toContain('As much time went away with “The dataset takes long”.');
    }
  });

  test('where a setting that is not its fix differs: another command, other workers', () => {
    const workers = (count: number, command = `train.py -j ${count}`) => ({
      ...{ workers: count, command },
    });
    const first = run({ environment: workers(0), findings: [zero, pinned] });
    expect(creditsOf(first, fast(workers(4)))).toMatchObject([
      { id: 'workers-zero', credited: true },
      { id: 'pin-memory', note: expect.stringContaining('DataLoader workers, Command.') },
    ]);
    expect(creditsOf(first, fast(workers(4, 'train.py -j 4 --model small')))).toMatchObject([
      { credited: false, note: expect.stringContaining('this differs too: Command.') },
      { credited: false },
    ]);
    expect(creditsOf(first, fast({ ...workers(4), pinnedShare: 1 }))).toMatchObject([
      { credited: true },
      {},
    ]);
    const pageable = run({ environment: { ...workers(0), pinnedShare: 0 }, findings: [zero] });
    expect(creditsOf(pageable, fast({ ...workers(4), pinnedShare: 1 }))).toMatchObject([
      { credited: false, note: expect.stringContaining('Copied from pinned memory') },
    ]);
  });
});

test('of a finding that costs less it is said beside the gain; of one that does not, nothing', () => {
  const of = (ms: number) => [{ ...slow, costPerStepNs: ms * MS }];
  const became = (second: RunSummary) =>
    compareRuns(run({ findings: of(30) }), second).findings.map(({ became, note }) => [
      became,
      note,
    ]);
  expect(became(run({ stepMs: 75, findings: of(2) }))).toEqual([
    [
      'changed',
      expect.stringMatching(/^It costs 28\.00 ms less; a step is shorter by 25\.\d+ ms\.$/),
    ],
  ]);
  expect(became(run({ findings: of(2) }))).toEqual([['changed', undefined]]);
  expect(became(run({ stepMs: 75, findings: of(50) }))).toEqual([['changed', undefined]]);
  expect(became(run({ stepMs: 75, findings: of(29) }))).toEqual([['same', undefined]]);
});

test('where a job writes and what its run is called hold no credit back', () => {
  const zero: RunFinding = { id: 'workers-zero', title: 'Loads itself', costPerStepNs: 40 * MS };
  const compared = (first: Partial<RunEnvironment>, second: Partial<RunEnvironment>) =>
    compareRuns(
      run({ environment: first, findings: [zero] }),
      run({ stepMs: 60, environment: second }),
    );
  const of = (options: string) => ({ command: `train.py --lr 1 ${options}` });
  const written = compared(of('--output_dir runs/a'), of('--output_dir runs/b'));
  expect(written).toMatchObject({
    differences: [{ what: 'Command', kind: 'output' }],
    findings: [
      {
        credited: true,
        note: expect.stringContaining(
          'nothing else that is compared differs but where the job writes, or what the run is called.',
        ),
      },
    ],
  });
  // Beside the fix itself, too, which adds an option.
  const fixed = compared(
    { workers: 0, ...of('--output_dir runs/a') },
    { workers: 4, ...of('-j 4 --output_dir runs/b') },
  );
  expect(fixed.findings).toMatchObject([{ credited: true }]);
  const other = compared(of('--output_dir runs/a'), of('--output_dir runs/b --model small'));
  expect(other).toMatchObject({
    differences: [{ kind: 'setting' }],
    findings: [{ credited: false, note: expect.stringContaining('this differs too: Command.') }],
  });
});

test('what a run could not show is not gone, and not new', () => {
  const because = 'Not every switch is in it.';
  const unseen = { byFinding: { 'slow-getitem': because } };
  const has = run({ findings: [slow] });
  const lacks = run({ stepMs: 70, unseen });
  expect(compareRuns(has, lacks).findings).toEqual([
    {
      ...{ id: slow.id, title: slow.title, became: 'maybe-gone', firstNs: 30 * MS },
      note: `The second run may have it all the same. ${because}`,
    },
  ]);
  expect(compareRuns(lacks, has).findings).toMatchObject([
    { became: 'maybe-new', note: `The first run may have it, too. ${because}` },
  ]);
  // Of 20 s of the first run it was seen four times: a tenth of that is too short for it.
  const [short] = compareRuns(
    run({ findings: [{ ...slow, times: 4 }] }),
    run({ steps: 20 }),
  ).findings;
  expect(short).toMatchObject({
    became: 'maybe-gone',
    note: expect.stringContaining('It is too short: 2.000 s'),
  });
});

test('what would be too little of the other run’s long step to be told is neither new nor gone', () => {
  const small = { ...slow, costPerStepNs: 0.9 * MS };
  const found = compareRuns(run({ findings: [] }), run({ stepMs: 50, findings: [small] }));
  expect(found.findings).toMatchObject([
    {
      became: 'maybe-new',
      note: expect.stringMatching(
        /^The first run may have it, too\. There it would be 0\.9 % of a step: less than 1\.0 % is not told\.$/,
      ),
    },
  ]);
  const large = { ...slow, costPerStepNs: 1.1 * MS };
  const added = compareRuns(run({ findings: [] }), run({ stepMs: 50, findings: [large] }));
  expect(added.findings).toMatchObject([{ became: 'new' }]);
});

test('what is not known of both runs is said to be not compared, with the value that one tells', () => {
  const open = (environment: Partial<RunEnvironment>) =>
    compareRuns(run({ environment: known }), run({ environment })).notes;
  const known = {
    ...{ cpuModel: 'EPYC', cpus: 8, allowedCpus: 8, memoryBytes: 1e9, kernel: '6', workers: 4 },
    ...{ cudaVersion: '12', pythonVersion: '3', command: 'train.py', h2dBytesPerStep: 1e6 },
    ...{ othersShare: 0, throttledShare: 0, pinnedShare: 1 },
  };
  const never = 'PyTorch, Other Python packages';
  expect(open(known)).toEqual([`Known of neither run, and so not compared: ${never}.`]);
  expect(open({ ...known, drivers: [], h2dBytesPerStep: 0, packages: { torch: '2.6' } })).toEqual([
    'Known of the first run only, and so not compared: GPU driver: 550.1; Bytes a step copies to the GPU: 976.6 KiB. The second run does not tell.',
    'Known of the second run only, and so not compared: PyTorch: 2.6; Other Python packages: none. The first run does not tell.',
    'Known of neither run, and so not compared: Batch size.',
  ]);
});

test('PyTorch and other packages of another version may explain a change', () => {
  const versions = (packages: Readonly<Record<string, string>>) =>
    run({ environment: { packages } });
  const one = versions({ torch: '2.4.0+cu121', numpy: '1.26.4', pillow: '10.0', triton: '3.0' });
  const other = versions({ torch: '2.5.1', numpy: '2.0.1', triton: '3.0', webdataset: '0.2' });
  expect(compareRuns(one, other).differences).toEqual([
    { what: 'PyTorch', kind: 'explains', fixes: [], first: '2.4.0+cu121', second: '2.5.1' },
    {
      ...{ what: 'Other Python packages', kind: 'explains', fixes: [] },
      first: 'numpy 1.26.4, pillow 10.0, webdataset none',
      second: 'numpy 2.0.1, pillow none, webdataset 0.2',
    },
  ]);
  expect(compareRuns(one, one).differences).toEqual([]);
  expect(compareRuns(one, one).notes.join()).not.toContain('PyTorch');
  expect(compareRuns(one, run()).notes.join()).toContain('PyTorch');
});

test('of several ranks each is told, and whose steps are compared', () => {
  const ranked = (inputMs: number, gone: boolean) => {
    const told = run({ stepMs: 50 + inputMs });
    const parts = { ...noParts, compute: 50 * MS };
    return {
      ...told,
      rank: gone ? 'rank 0 · pid 8' : 'rank 1 · pid 7',
      ranks: [
        { label: 'rank 0 · pid 6', rank: 0, stepNs: 50 * MS, parts },
        {
          label: 'rank 1 · pid 7',
          rank: 1,
          stepNs: (50 + inputMs) * MS,
          parts: { ...parts, input: inputMs * MS },
        },
      ],
      findings: gone ? [] : [{ ...slow, ranks: ['rank 1 · pid 7'] }],
    };
  };
  const noParts = { input: 0, h2d: 0, compute: 0, collective: 0, other: 0, idle: 0 };
  const found = compareRuns(ranked(50, false), ranked(0, true));
  expect(found.ranks).toMatchObject([
    { label: 'rank 0', ratio: 1 },
    { label: 'rank 1', ratio: 0.5, input: { firstNs: 50 * MS, secondNs: 0 } },
  ]);
  expect(found.notes).toContain(
    'Of several ranks the one with the longest step is compared, since the others wait for it: rank 1 · pid 7 of the first run, rank 0 · pid 8 of the second run.',
  );
  expect(compareRuns({ ...run(), rank: 'pid 7', jobs: 2 }, run()).notes).toContain(
    'The first run has 2 jobs: that of pid 7 is compared.',
  );
  const text = comparisonMarkdown(found);
  expect(text).toContain('### A step of each rank');
  expect(text).toContain('The dataset takes long · rank 1 · pid 7 \\[slow-getitem\\]');
});

test('what threads did is told by role, as far as both runs recorded it', () => {
  const did = (faults: number | undefined, switches: number) => ({
    ...run(),
    roles: {
      roles: [
        {
          ...{ role: 'dataloader-worker' as const, threads: 4 },
          aStep: { cpuNs: 3 * MS, switches, ...(faults !== undefined && { faults }) },
        },
      ],
      atLeast: ['cpuNs' as const],
    },
  });
  const { roles } = compareRuns(did(40, 2), did(10, 0));
  const worker = { role: 'dataloader-worker' };
  expect(roles).toEqual([
    { ...worker, figure: 'cpuNs', first: 3 * MS, second: 3 * MS, ratio: 1, isAtLeast: true },
    { ...worker, figure: 'switches', first: 2, second: 0 },
    { ...worker, figure: 'faults', first: 40, second: 10, ratio: 0.25 },
  ]);
  expect(compareRuns(did(40, 2), did(undefined, 2)).roles.map(({ figure }) => figure)).toEqual([
    ...['cpuNs', 'switches'],
  ]);
  expect(compareRuns(did(40, 2), run()).roles).toEqual([]);
  expect(comparisonMarkdown(compareRuns(did(40, 2), did(10, 2)))).toContain(
    '| DataLoader worker: page faults | 40.0 | 10.0 | 0.250 |',
  );
});

test('Markdown has names of a trace as text', () => {
  const hostile = { ...slow, title: '<img src=x> | @everyone' };
  const text = comparisonMarkdown(compareRuns(run({ findings: [hostile] }), run({ stepMs: 70 })));
  expect(text).toContain('`<img` `src=x>` \\| `@everyone`');
  expect(activeParts(text)).toEqual([]);
  expect(text).toContain('| A mean step |');
});

describe('bytes that a step copies to the GPU', () => {
  const copies = (h2dBytesPerStep: number, more: Partial<RunEnvironment> = {}) => ({
    environment: { h2dBytesPerStep, ...more },
  });

  test('that a fix explains are said before the sentence, which stands', () => {
    const found = compareRuns(run(copies(12e6)), run({ stepMs: 60, ...copies(8e6) }));
    expect(found).toMatchObject({
      verdict: 'improved',
      step: { ratio: expect.closeTo(0.6) },
      differences: [{ what: 'Bytes a step copies to the GPU', kind: 'check' }],
      sentence: expect.stringMatching(
        /^Check that both runs train on the same: each step of the second copies 33\.3 % fewer bytes to the GPU\. Faster\. A mean step takes .*: 40\.0 % shorter \(95 % interval: \d.* to \d.* shorter\)\.$/,
      ),
    });
  });

  // uint8 for float32 is the largest change that one fix brings, with labels beside it or without.
  test.each([
    ['a tenth', 1.09, undefined],
    ['more padding', 1.5, 'check'],
    ['float32 for uint8', 4, 'check'],
    ['ten times', 10, 'prevents'],
  ])('%s more: told either way round', (_, factor, kind) => {
    for (const [was, is] of [
      [1e6, factor * 1e6],
      [factor * 1e6, 1e6],
    ] as const) {
      const { verdict, differences } = compareRuns(run(copies(was)), run(copies(is)));
      expect(differences.map((each) => each.kind)).toEqual(kind === undefined ? [] : [kind]);
      expect(verdict).toBe(kind === 'prevents' ? 'not-comparable' : 'no-measurable-change');
    }
  });

  test('however many, where the batch size is known to be the same; of another one nothing is compared', () => {
    const of = (one: number, other: number) =>
      compareRuns(run(copies(1e6, { batchSize: one })), run(copies(2e7, { batchSize: other })));
    expect(of(32, 32).verdict).toBe('no-measurable-change');
    expect(of(32, 64).verdict).toBe('not-comparable');
  });

  test('however many, where what made them ended or costs a fraction, which may have the credit', () => {
    const made = (ms: number): RunFinding => ({
      ...{ id: 'host-data-movement', title: 'Makes masks', costPerStepNs: ms * MS },
    });
    const of = (findings: readonly RunFinding[], stepMs: number) =>
      compareRuns(
        run({ ...copies(4e6), findings: [made(20)] }),
        run({ stepMs, ...copies(8e4), findings }),
      );
    expect(of([made(2)], 80)).toMatchObject({
      verdict: 'improved',
      differences: [{ kind: 'check' }],
    });
    expect(of([], 80).findings).toMatchObject([{ became: 'gone', credited: true }]);
    expect(of([made(19)], 80).verdict).toBe('not-comparable');
  });
});

test('a program of another name is a note to weigh, other arguments are none', () => {
  const of = (command: string) => run({ environment: { command } });
  const before = of('python /jobs/train.py --lr 1');
  const { sentence } = compareRuns(before, of('python -u /jobs/train_fixed.py --lr 1'));
  expect(sentence).toMatch(
    /^Check that both runs are of one job: the first is of train\.py, the second of train_fixed\.py\. No measurable change\./,
  );
  expect(compareRuns(before, of('python -m jobs.train')).sentence).toContain('of jobs.train.');
  const same = compareRuns(before, of('python /copy/train.py --lr 2'));
  expect(same.differences).toMatchObject([{ what: 'Command', kind: 'setting' }]);
  expect(same.sentence).toMatch(/^No measurable change\./);
});

test('of what hardly occurs in the first run the interval has no end', () => {
  const figure = { firstNs: 1, secondNs: 2, ratio: 1.6, low: 0.2, high: 1e23 };
  expect(ratioCell(figure)).toBe('1.600 (0.200 to over 1,000)');
  expect(ratioCell({ firstNs: 9, secondNs: 1, ratio: 1e-5 })).toBe('<0.001');
  expect(ratioCell({ firstNs: 9, secondNs: 0, ratio: 0 })).toBe('0.000');
});
