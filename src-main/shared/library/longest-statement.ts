/** Of the text of a statement, characters. */
export const LONGEST_STATEMENT = 100_000;
