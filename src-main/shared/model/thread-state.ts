/** What a thread was doing at a moment. A code's position is its value in `u8` columns. */
export const threadStates = [
  'unknown',
  'running',
  'runnable',
  'sleeping',
  'disk',
  'uninterruptible',
  'stopped',
  'dead',
] as const;
export type ThreadState = (typeof threadStates)[number];
