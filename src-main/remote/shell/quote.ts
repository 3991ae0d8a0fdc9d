/** `word` as one word of `sh`, whatever it holds. A NUL can be in no word: that is a bug of the caller. */
function quoteWord(word: string): string {
  if (word.includes('\0')) throw new Error('a NUL in a word for sh');
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `words`, each as one word of `sh`. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}
