import { describe, expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { asleep } from '../testing/loader-trace.ts';
import { idleRoom } from './idle-room.ts';
import type { ProductionCycles } from './production-cycles.ts';

const MS = 1e6;
const [MAIN, FIRST, SECOND] = [0, 1, 2];

/** A worker that makes a batch at once, and has nothing to do from `fromNs` up to `toNs`. */
function idleWithin(mainThread: number, fromNs: number, toNs: number): ProductionCycles {
  const times = (...ns: number[]) => Float64Array.from(ns);
  return {
    ...{ process: mainThread, mainThread, feeder: -1, count: 2, firsts: [0] },
    ...{ freeNs: times(0, fromNs), startsNs: times(0, toNs), putsNs: times(fromNs, toNs + MS) },
    ...{ endsNs: times(fromNs, toNs + MS), flushedNs: times(fromNs, toNs + MS) },
    ...{ basis: 'exact' as const, note: '' },
  };
}

/** Each of these threads runs but for the time in which it is asleep, ns. */
function traceOf(sleeps: readonly (readonly [thread: number, fromNs: number, toNs: number])[]) {
  const threads = [MAIN, FIRST, SECOND];
  const edges = threads.flatMap((thread) => [
    asleep(thread, 0, 1),
    asleep(thread, 100 * MS, 100 * MS + 1),
  ]);
  const slept = sleeps.map(([thread, fromNs, toNs]) => asleep(thread, fromNs, toNs));
  const off_cpu = [...edges, ...slept].toSorted((a, b) => a.startNs - b.startNs);
  return buildTrace({ threads: threads.map(() => ({ process: 0 })), rows: { off_cpu } });
}

describe('idleRoom', () => {
  const workers = [idleWithin(FIRST, 20 * MS, 40 * MS), idleWithin(SECOND, 20 * MS, 40 * MS)];
  const idle = [
    [FIRST, 20 * MS, 40 * MS],
    [SECOND, 20 * MS, 40 * MS],
  ] as const;
  const room = { mainThread: MAIN, cpus: 2, cpuShare: 1 };

  test('leaves the workers what the loop does not run on', () => {
    expect(idleRoom(traceOf(idle), room, workers)).toBe(0.5);
    const asleepHalf = [...idle, [MAIN, 20 * MS, 30 * MS] as const];
    expect(idleRoom(traceOf(asleepHalf), room, workers)).toBeCloseTo(0.75, 6);
  });

  test('leaves them nothing on a CPU that the loop has alone', () => {
    expect(idleRoom(traceOf(idle), { ...room, cpus: 1 }, workers)).toBe(0);
  });

  test('lets who mostly waits for a disk share a CPU', () => {
    expect(idleRoom(traceOf(idle), { ...room, cpuShare: 0.25 }, workers)).toBe(1);
  });

  test('counts a worker that is at work', () => {
    const one = [idleWithin(FIRST, 20 * MS, 40 * MS), idleWithin(SECOND, 60 * MS, 60 * MS)];
    expect(idleRoom(traceOf([[FIRST, 20 * MS, 40 * MS]]), room, one)).toBe(0);
  });

  test('limits nothing where there is a CPU for each, or how many there are is not known', () => {
    expect(idleRoom(traceOf(idle), { ...room, cpus: 3 }, workers)).toBe(1);
    expect(idleRoom(traceOf(idle), { ...room, cpus: 0 }, workers)).toBe(1);
  });

  test('goes through as many changes as a long recording has', () => {
    const count = 150_000;
    const sleeps = Array.from(
      { length: count },
      (_, at) => [MAIN, 20 * MS + at * 100, 20 * MS + at * 100 + 50] as const,
    );
    expect(idleRoom(traceOf([...idle, ...sleeps]), room, workers)).toBeCloseTo(0.6875, 6);
  });
});
