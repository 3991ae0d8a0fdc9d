import { expect, test } from 'vitest';
import type { Rank } from '../../shared/answers/jobs.ts';
import { type DeviceTime, type IdleCause, idleCauses } from '../../shared/answers/steps.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { strongestClues } from './clues.ts';
import { buildFacts, SECOND } from './testing/build-facts.ts';

const facts = { ...buildFacts(), inputKnown: false };
const { rank } = facts;
const cluesOf = (trace: Trace, of: Rank = rank) => strongestClues(trace, { ...facts, rank: of });

test('a trace that holds nothing gives no clue', () => {
  expect(cluesOf(buildTrace({}))).toEqual([]);
});

/** Two workers, of which the second leaves the CPU 1,200 times, once for as long as PyTorch lets it wait for work. */
function workersTrace(longestNs: number, busySamples: number) {
  const switches = (thread: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ thread, startNs: at * 1e6, durationNs: at === 0 ? longestNs : 1_000 },
    }));
  return buildTrace({
    processes: [
      { pid: 1, role: 'main' },
      { pid: 2, role: 'dataloader-worker', parent: 0 },
      { pid: 3, role: 'dataloader-worker', parent: 0 },
    ],
    threads: [{ process: 0 }, { process: 1 }, { process: 2 }],
    names: [
      ['HOST', 'sched_switch'],
      ['', 'CPU (%)'],
    ],
    machine: { cpuCount: 4 },
    rows: {
      off_cpu: [...switches(1, 900), ...switches(2, 1_200)],
      sample: Array.from({ length: 10 }, (_, at) => ({
        ...{ startNs: at * 1e8, metric: 1, value: at < busySamples ? 100 : 20, gpu: -1 },
      })),
    },
    lengthNs: 6e9,
  });
}

const ofBoth = { ...rank, process: 0, processes: [0, 1, 2] };
const texts = (longestNs: number, busySamples: number) =>
  cluesOf(workersTrace(longestNs, busySamples), ofBoth).map(({ text }) => text);

test('busy CPUs come first, then what the workers did', () => {
  expect(texts(5e9, 7)).toEqual([
    'All 4 CPUs were busy in 7 of 10 samples',
    '2 DataLoader workers left the CPU 2,100 times',
    expect.stringMatching(/^DataLoader worker pid [23] stood still for 5.000 s$/),
  ]);
});

test('a wait as long as PyTorch’s own may be one for work; another is not said to be', () => {
  const detail = (longestNs: number) => cluesOf(workersTrace(longestNs, 0), ofBoth).at(-1)?.detail;
  expect(detail(5e9)).toContain('this one may have had none');
  expect(detail(3e9)).toBe('Why it did not run is not in this file.');
});

test('few busy samples and short waits are no clue', () => {
  expect(texts(1e6, 2)).toEqual(['2 DataLoader workers left the CPU 2,100 times']);
});

/** The clues of a GPU that was idle for so much of 10 s, by its own records. */
function idleFor(by: Partial<Record<IdleCause, number>>, isSelection = false) {
  const idleBy = Object.fromEntries(
    idleCauses.map((cause) => [cause, (by[cause] ?? 0) * SECOND]),
  ) as Record<IdleCause, number>;
  const idleNs = Object.values(idleBy).reduce((sum, ns) => sum + ns, 0);
  const all: DeviceTime = {
    ...{ label: 'GPU', computingNs: 10 * SECOND - idleNs, kernels: 1, collectiveNs: 0 },
    ...{ copyingNs: 0, h2dNs: 0, idleNs, unknownNs: 0, idleBy },
  };
  const recorded = { all, devices: [all], unused: [] };
  const starvation = { ...facts.starvation, basis: 'exact' as const, recorded };
  const steps = { ...facts.steps, ...(isSelection && { isSelection: true as const }) };
  return strongestClues(buildTrace({}), { ...facts, steps, starvation });
}

test('a GPU that is idle for long is told by its own records, with what the loop did meanwhile', () => {
  const [clue, ...others] = idleFor({ call: 3, host: 2 });
  expect(clue).toMatchObject({ basis: 'exact' });
  expect(clue.text).toMatch(/^The GPU has nothing to do for 50\.0\s% of the time$/);
  expect(clue.detail).toMatch(
    /^30\.0\s% while the loop was in other CUDA calls, 20\.0\s% while it was outside CUDA calls, which includes waiting for input\. /,
  );
  expect(others).toEqual([]);
});

test('a GPU that is hardly idle is no clue, nor are shares of calls that are a selection', () => {
  expect(idleFor({ host: 1 })).toEqual([]);
  expect(idleFor({ host: 5 }, true)).toEqual([]);
});
