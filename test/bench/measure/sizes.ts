import { parseArgs } from 'node:util';

/** At how many events a goal is set. */
export const GOAL_EVENTS = 10_000_000;

/** How many events the traces of a benchmark have: as its `--events` says, or that of `npm run bench`; else `usual`. */
export function sizes(
  usual: readonly number[] = [10_000, 1_000_000, GOAL_EVENTS],
): readonly number[] {
  const { values } = parseArgs({ options: { events: { type: 'string' } } });
  const asked = values.events ?? process.env.STALLTRACE_BENCH_EVENTS;
  const counts = asked?.split(',').map(Number) ?? usual;
  if (!counts.every((count) => Number.isSafeInteger(count) && count > 0))
    throw new Error('--events takes counts, as in 10000,50000000.');
  return counts;
}

/** What is wanted of a trace of so many events. */
export const goalAt = (events: number, goal: number): { goal?: number } =>
  events === GOAL_EVENTS ? { goal } : {};

/** An explanation takes at most so long, whatever else is worked out. */
export const EXPLANATION_MS = 100;
