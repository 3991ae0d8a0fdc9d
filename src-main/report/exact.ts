import { formatDuration } from '../shared/text/units.ts';

/** `65.00 ms (65000369 ns)`: to read and to compute with. */
export function exact(ns: number): string {
  return `${formatDuration(ns)} (${ns} ns)`;
}
