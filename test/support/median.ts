import { median as middleOf } from '../../src-main/shared/numbers/percentile.ts';

/** The middle of measured values, the upper of two; NaN of none. */
export function median(values: readonly number[]): number {
  return middleOf(values, 'upper') ?? Number.NaN;
}
