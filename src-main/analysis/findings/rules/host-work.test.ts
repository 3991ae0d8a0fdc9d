import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import { claimCells, totalCost } from '../claim-costs.ts';
import { ofJob } from '../fixes/of-job.ts';
import { cell, type FactsPlan, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled, stackNumber } from '../testing/sampled.ts';
import { hostWork, moreHostWork } from './host-work.ts';

const judge = (changes: FactsPlan = {}) => hostWork.judge(exampleFacts('host-work', changes));

test('names the function and its line, and how many of the samples of such work were there', () => {
  const judgement = judge({ trace: sampled({ step: 30, picking: 10 }, 0) });
  expect(judgement?.sentence).toContain('for 6.000 s (60.0 % of the time)');
  expect(judgement?.sentence).toContain('It computed mostly in reweight (train.py:51)');
  // One share is of the time: samples are counted.
  expect(judgement?.evidence[0].text).toMatch(
    /^30 of the 30 CPU samples of the training loop’s own work were in reweight \(train\.py:51\)$/,
  );
  expect(judgement?.confidence).toBe('likely');
});

test('of a function with less than half of the samples it does not say that all is in it', () => {
  const judgement = judge({ trace: sampled({ step: 20, merging: 14, attending: 14 }, 0) });
  expect(judgement?.title).toMatch(/between batches, above all in reweight \(train\.py:51\)$/);
  expect(judgement?.sentence).toContain(
    'It computed in reweight (train.py:51) more than in any other function',
  );
});

test('says how many samples there are with what the function calls, where that is more', () => {
  const own = (symbol: string) => ({
    ...{ symbol, file: '/home/user/train.py', line: 9, language: 'python' as const },
  });
  const stacks = [[own('reweight')], [own('scale'), own('reweight')]];
  const seen = (called: number) =>
    judge({
      trace: {
        stacks,
        rows: {
          cpu_sample: sampled({ step: 40 }, 0).rows.cpu_sample.map((row, at) => ({
            ...{ ...row, stack: at < called ? 1 : 0 },
          })),
        },
      },
    })?.evidence[0].text;
  expect(seen(10)).toMatch(
    /^30 of the 40 .* were in reweight \(train\.py:9\), 40 with what it calls$/,
  );
  expect(seen(1)).not.toContain('what it calls');
});

test('its fix sends the function to another process, by its name where it stands by itself', () => {
  const codeOf = (frame: Partial<Frame>) => {
    const stack = [
      {
        symbol: 'work',
        file: '/home/user/train.py',
        line: 9,
        language: 'python' as const,
        ...frame,
      },
    ];
    const cpu_sample = sampled({ step: 40 }, 0).rows.cpu_sample.map((row) => ({
      ...row,
      stack: 0,
    }));
    const facts = exampleFacts('host-work', { trace: { stacks: [stack], rows: { cpu_sample } } });
    const judgement = hostWork.judge(facts);
    return judgement && ofJob(facts, judgement).after;
  };
  expect(codeOf({ symbol: 'reweight' })).toContain('late = aside.submit(reweight, your_values)');
  // A method would take its object along, and lose what it changes there.
  const method = codeOf({ symbol: 'Registry.refresh' });
  expect(method).toContain('aside.submit(your_function, ');
  expect(method).toContain('a method takes its whole object along');
  expect(codeOf({ symbol: '<lambda>' })).toContain('aside.submit(your_function, ');
});

test('what is part of the model is needed by every step: it is not put off', () => {
  const fix = judge({ trace: sampled({ attending: 30, step: 10 }, 0) })?.fix;
  expect(fix?.title).toBe(
    'Have attend (model.py:38) compute on the GPU, for the whole batch at once',
  );
  expect(fix?.after).toContain('def attend(rows):');
});

test('says how often, where that is known', () => {
  const seen = sampled({ step: 25 }, 0);
  const cpu_sample = seen.rows.cpu_sample.map((row, at) => ({
    ...row,
    startNs: at * 0.4 * SECOND,
  }));
  const hostTime = {
    startsNs: Float64Array.from({ length: 100 }, (_, step) => step * 0.1 * SECOND),
    endsNs: Float64Array.from({ length: 100 }, (_, step) => (step * 0.1 + 0.06) * SECOND),
  };
  const judgement = judge({ trace: { ...seen, rows: { cpu_sample } }, hostTime });
  expect(judgement?.sentence).toContain('reweight (train.py:51), every 4 steps.');
});

test('names a debugging tool that was left on', () => {
  const judgement = judge({ trace: sampled({ hunting: 30, picking: 10 }, 0) });
  expect(judgement?.culprit).toBe('report_growth');
  expect(judgement?.sentence).toContain(
    'tracemalloc, a debugging or profiling tool that was left on',
  );
  expect(judgement?.fix.title).toMatch(/^Switch tracemalloc off/);
  expect(judge({ trace: sampled({ step: 30, hunting: 10 }, 0) })?.sentence).not.toContain('hunt');
});

test('may win back all time without another cause: that function calls others, and others call it', () => {
  const costs = [cell('other', 'main', 'running', 6 * SECOND)];
  const trace = sampled({ step: 30, picking: 10 }, 0);
  expect(judge({ trace, costs })?.gainShare).toBe(1);
  // What it waited for a CPU goes with it.
  const waits = cell('other', 'main', 'runnable-other', 3 * SECOND);
  expect(judge({ trace, costs: [...costs, waits] })?.gainShare).toBeCloseTo(1.5, 5);
});

test('may end the loader’s waits too where all CPUs are busy: its workers have theirs sooner then', () => {
  const cpus = { machine: 2, usable: 2, basis: '' };
  const reach = (idleShare?: number) =>
    judge({ cpus: { ...cpus, ...(idleShare !== undefined && { idleShare }) } })?.gain;
  expect([reach(0.1), reach(0.5), reach()]).toEqual([
    { reach: 'waits' },
    { reach: 'own' },
    { reach: 'own' },
  ]);
});

test('takes time that is not known to have been on a CPU, and no waits', () => {
  const costs = [
    cell('other', 'main', 'unknown', 4 * SECOND),
    cell('other', 'main', 'sleeping', 3 * SECOND),
  ];
  const facts = exampleFacts('host-work', { costs });
  const claimed = facts.costs.filter(hostWork.judge(facts)?.claims ?? Boolean);
  expect(claimed.map(({ cause }) => cause)).toEqual(['unknown']);
});

test('what sleeps in that function may end as well', () => {
  const shareWith = (shown: 'step' | 'sleeping') => {
    const { stacks, rows } = sampled({ step: 60 }, 0);
    const off_cpu = Array.from({ length: 10 }, (_, at) => ({
      ...{ thread: 0, startNs: at * SECOND, durationNs: 0.1 * SECOND, state: 1 },
      ...{ syscall: 35, wakerContext: 4, stack: stackNumber(shown) },
    }));
    const machine = { cpuModel: 'Intel Xeon' };
    return judge({ trace: { machine, stacks, rows: { ...rows, off_cpu } } })?.gainShare ?? 0;
  };
  // 0.6 s, beside the 6 s that it runs for.
  expect(shareWith('step') - shareWith('sleeping')).toBeCloseTo(0.1);
});

test('counts only samples outside of CUDA calls and of waiting for input', () => {
  const hostTime = { startsNs: Float64Array.of(0), endsNs: Float64Array.of(0.2 * SECOND) };
  expect(judge({ hostTime })).toBeUndefined();
});

test('is silent where the loop hands over batches, does many things, or little', () => {
  expect(judge({ trace: sampled({ picking: 60 }, 0) })).toBeUndefined();
  expect(judge({ trace: sampled({ step: 10, picking: 50 }, 0) })).toBeUndefined();
  expect(judge({ trace: sampled({ step: 20 }, 0) })).toBeUndefined();
  expect(judge({ costs: [cell('other', 'main', 'running', 0.9 * SECOND)] })).toBeUndefined();
});

test('of a server it says what it did while it answered, and what to do about that', () => {
  const facts = exampleFacts('host-work');
  const judgement = hostWork.judge({ ...facts, steps: { ...facts.steps, serves: true } });
  expect(judgement?.title).toMatch(/ work of its own while it answers, in reweight /);
  expect(judgement?.sentence).toContain('waited for no request');
  expect(judgement?.fix.title).toMatch(/^Do less in reweight .* for each request$/);
});

test('of a server it is held against the time in which it had something to answer', () => {
  const costs = [
    cell('other', 'main', 'running', 0.9 * SECOND),
    cell('idle', 'main', 'sleeping', 7 * SECOND),
  ];
  const facts = exampleFacts('host-work', { costs });
  expect(hostWork.judge(facts)).toBeUndefined();
  const judgement = hostWork.judge({ ...facts, steps: { ...facts.steps, serves: true } });
  expect(judgement?.sentence).toContain(
    'for 900.0 ms (9.0 % of the time), 30.0 % of that in which it had something to answer.',
  );
});

test('two functions are told apart, each with its part of the time and its bound', () => {
  const costs = [cell('other', 'main', 'running', 6 * SECOND)];
  const facts = exampleFacts('host-work', { costs, trace: sampled({ step: 30, merging: 20 }, 0) });
  const [first, second] = [hostWork, moreHostWork].map((rule) => rule.judge(facts));
  expect([first?.culprit, second?.culprit]).toEqual(['reweight', 'merge_boxes']);
  expect(second?.sentence).toContain(
    'It computed in two functions, one of them merge_boxes (train.py:57): that stands for 2.400 s',
  );
  const judged = [first, second].flatMap((judgement) => (judgement ? [{ id: '', judgement }] : []));
  const claimedNs = claimCells(judged, costs).map(({ cells }) => totalCost(cells) / SECOND);
  expect(claimedNs).toEqual([expect.closeTo(3.6, 5), expect.closeTo(2.4, 5)]);
  // Neither calls the other: less work in one leaves the other’s.
  expect(second?.gainShare).toBeGreaterThan(0.4);
  expect(second?.gainShare).toBeLessThan(0.7);
  const within = sampled({ step: 30, mergingWithin: 20 }, 0);
  expect(moreHostWork.judge(exampleFacts('host-work', { costs, trace: within }))).toBeUndefined();
  const little = sampled({ step: 60, merging: 6 }, 0);
  expect(moreHostWork.judge(exampleFacts('host-work', { costs, trace: little }))).toBeUndefined();
});

test('waits beside the work are told too', () => {
  const { stacks, rows } = sampled({ step: 60 }, 0);
  const off_cpu = Array.from({ length: 30 }, (_, at) => ({
    ...{ thread: 0, startNs: at * 0.3 * SECOND, durationNs: 0.1 * SECOND, state: 1 },
    stack: stackNumber('sleeping'),
  }));
  const costs = [
    cell('other', 'main', 'running', 4 * SECOND),
    cell('other', 'main', 'sleeping', 3 * SECOND),
  ];
  const plan = { costs, trace: { stacks, rows: { ...rows, off_cpu } } };
  const facts = exampleFacts('host-work', plan);
  const told = [hostWork, moreHostWork].map((rule) => rule.judge(facts)?.title ?? '');
  expect(told[0]).toContain('work of its own between batches, in reweight');
  expect(told[1]).toContain('is asleep');
});
