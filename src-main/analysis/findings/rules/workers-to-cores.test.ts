import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { workersToCores } from './workers-to-cores.ts';

const judge = (changes = {}) => workersToCores.judge(exampleFacts('workers-to-cores', changes));
const cpus = { machine: 2, usable: 2, idleShare: 0.02, basis: '' };

/** Workers that computed little: for most of their time they waited for a CPU. */
const waiting = Array.from({ length: 4 }, () => ({
  states: { runningNs: SECOND, runnableNs: 8 * SECOND },
}));

test('gives the number of workers that leave the training process a CPU', () => {
  const judgement = judge({ workers: waiting });
  expect(judgement?.fix.title).toBe('Set num_workers=1');
  expect(judgement?.fix.before).toContain('num_workers=4');
  expect(judgement?.sentence).toContain(
    '4 DataLoader workers and the training process shared 2 CPUs',
  );
  expect(judgement?.sentence).toContain('4.000 s');
});

test('gives as many as their work takes, and no more to win back than the CPUs allow', () => {
  const judgement = judge();
  expect(judgement?.fix.title).toBe('Set num_workers=2');
  expect(judgement?.fix.text).toContain('takes 2 to keep up');
  const little = judge({ workers: waiting });
  const floor = (found: typeof judgement) =>
    found?.gain === 'unknown' ? undefined : found?.gain?.floorNs;
  expect(floor(judgement)).toBeGreaterThan(floor(little) ?? Infinity);
});

test('is silent where as many are needed, since a worker that sleeps makes no other batch', () => {
  const needed = (sleeping: number) =>
    judge({
      workers: waiting.map(({ states }) => ({
        states: { ...states, sleepingNs: sleeping },
        cycles: { running: SECOND, 'runnable-own': 5 * SECOND, sleeping },
      })),
    })?.fix.title;
  expect(needed(0)).toBe('Set num_workers=1');
  expect(needed(2.5 * SECOND)).toBe('Set num_workers=3');
  expect(needed(5 * SECOND)).toBeUndefined();
});

test('respects a quota and other ranks on the same CPUs', () => {
  const quota = judge({
    workers: waiting,
    cpus: { ...cpus, machine: 16, usable: 3.5, quota: 3.5 },
  });
  expect(quota?.fix.title).toBe('Set num_workers=2');
  expect(quota?.sentence).toContain('3.5 CPUs (its CPU quota)');

  const { rank } = exampleFacts('workers-to-cores');
  const other = { ...rank, process: 3 };
  const two = judge({
    workers: waiting,
    cpus: { ...cpus, usable: 6 },
    allRanks: [rank, other],
  });
  expect(two?.sentence).toContain('8 DataLoader workers and 2 training processes shared 6 CPUs');
  expect(two?.fix.title).toBe('Set num_workers=2 in each of the 2 training processes');
});

test('the CPUs and control groups of another host are others, whatever they are called', () => {
  const facts = exampleFacts('workers-to-cores');
  const limits = { cpusAllowed: '0-3', cgroup: '/job' };
  const other = { ...facts.rank, process: facts.trace.processes.length };
  const found = (host: number, quota?: number) => {
    const [main, ...others] = facts.trace.processes;
    const processes = [{ ...main, ...limits, host: 0 }, ...others, { ...main, ...limits, host }];
    const trace = { processes, threads: facts.trace.threads };
    const shared = { ...cpus, usable: 4, ...(quota !== undefined && { quota }) };
    return judge({ trace, cpus: shared, allRanks: [facts.rank, other] })?.sentence;
  };
  for (const quota of [undefined, 4]) {
    expect(found(0, quota)).toContain('8 DataLoader workers and 2 training processes');
    expect(found(1, quota)).toContain('4 DataLoader workers and the training process');
  }
});

test('leaves out a training that had ended before', () => {
  const facts = exampleFacts('workers-to-cores');
  const other = { ...facts.rank, process: facts.trace.processes.length };
  const found = (endNs: number) => {
    const processes = [...facts.trace.processes, { ...facts.trace.processes[0], endNs }];
    const trace = { processes, threads: facts.trace.threads };
    return judge({ trace, cpus: { ...cpus, usable: 4 }, allRanks: [facts.rank, other] });
  };
  expect(found(facts.window[1])?.sentence).toContain('2 training processes');
  expect(found(facts.window[0])?.sentence).toContain(
    '4 DataLoader workers and the training process',
  );
});

test('says of idle CPUs what their samples are: means over some time', () => {
  expect(judge()?.evidence.find(({ text }) => text.includes('were idle'))).toMatchObject({
    text: 'By samples the CPUs were idle 2.0 % of the time',
    basis: 'aggregated',
  });
});

test('is silent where there is a CPU for everyone, or CPUs were idle', () => {
  expect(judge({ cpus: { ...cpus, usable: 5 } })).toBeUndefined();
  expect(judge({ cpus: { ...cpus, idleShare: 0.6 } })).toBeUndefined();
});

test('is silent where workers took the CPU from each other at no cost to the loop', () => {
  expect(judge({ costs: [cell('input', 'worker', 'running', 3 * SECOND)] })).toBeUndefined();
});

test('is silent where workers sleep: others had the CPUs then', () => {
  const asleep = { states: { sleepingNs: 9 * SECOND }, cycles: { sleeping: 9 * SECOND } };
  const main = { runningNs: SECOND, sleepingNs: 9 * SECOND };
  expect(judge({ workers: [asleep, asleep, asleep, asleep], main })).toBeUndefined();
});
