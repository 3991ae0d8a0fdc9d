import { clamp } from '../../lib/clamp.ts';

/** Where the usual names have room at 13 px, on a window of usual width. Our own choices. */
const BASE_PX = 220;
const MORE_OF_BODY = 0.08;
const MOST_OF_BODY = 1 / 3;
const LEAST_PX = 190;
const MOST_PX = 380;

/** Width of the names of tracks where nobody chose one: of a wide timeline more, of a narrow one no more than a third. */
export function usualLabelsPx(bodyPx: number): number {
  const wanted = Math.min(BASE_PX + MORE_OF_BODY * bodyPx, MOST_OF_BODY * bodyPx);
  return Math.round(clamp(wanted, LEAST_PX, MOST_PX));
}
