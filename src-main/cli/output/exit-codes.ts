export const EXIT_DONE = 0;
export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;
export const EXIT_SAMPLED = 3;
/** Ended by SIGINT, as shells report it. */
export const EXIT_INTERRUPTED = 130;

/** What the general help says of them. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT_DONE, 'done'],
  [EXIT_FAILURE, "a file can't be read or written or a host can't be used"],
  [EXIT_USAGE, 'wrong usage'],
  [EXIT_SAMPLED, 'only sampled captures are possible (check)'],
  [EXIT_INTERRUPTED, 'interrupted'],
];
