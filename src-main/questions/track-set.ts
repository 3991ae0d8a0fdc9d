import { z } from 'zod';
import { LONGEST_NUMBER_SET, unpackNumbers } from '../shared/numbers/number-set.ts';

/** Numbers of tracks, as `packNumbers` writes them: a list of a hundred thousand would be too long for a frame. */
export const trackSet = z
  .string()
  .max(LONGEST_NUMBER_SET)
  .refine((text) => unpackNumbers(text) !== undefined);

/** Of a `trackSet`. */
export function tracksOf(text: string): readonly number[] {
  return unpackNumbers(text) ?? [];
}
