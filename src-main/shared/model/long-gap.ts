/** Samples this many times further apart than they usually are have a gap between them: there they prove nothing. */
export const LONG_GAP = 2;
