import { captureModeSpecs } from '../../shared/capture-modes/modes.ts';

export const EXIT_DONE = 0;
export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;
/** Of `confirm`. */
export const EXIT_STILL_THERE = 5;
/** Of `confirm` and `compare`. */
export const EXIT_CANNOT_TELL = 6;
/** Of `compare`. */
export const EXIT_SLOWER = 7;
/** Ended by SIGINT, as shells report it. */
export const EXIT_INTERRUPTED = 130;

/** What the general help says of them. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT_DONE, 'done'],
  [EXIT_FAILURE, "a file can't be read or written or a host can't be used"],
  [EXIT_USAGE, 'wrong usage'],
  ...captureModeSpecs.flatMap(({ exit: { code, means } }) =>
    means === undefined ? [] : [[code, means] as const],
  ),
  [EXIT_STILL_THERE, 'the finding is still there (confirm)'],
  [EXIT_CANNOT_TELL, 'the traces cannot tell (confirm, compare)'],
  [EXIT_SLOWER, 'the second run is slower (compare)'],
  [EXIT_INTERRUPTED, 'interrupted'],
];
