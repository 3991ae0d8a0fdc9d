/**
 * How the search sees text: words of letters and digits, in lower case and without diacritics;
 * symbols such as emoji are words of one character. The index and the search box go through the
 * same function, so that what is found does not depend on the tables of SQLite's tokenizer.
 */

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*|\p{So}/gu;
/** Blocks of combining diacritical marks; other marks are vowels of their scripts. */
const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]/g;
const NO_WORD_CHARACTER = /[^\p{L}\p{N}\p{M}\p{So}]+/gu;
const PLAIN = /^[a-z0-9]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const PLAIN_TEXT = /^[\u0000-\u007f]*$/;

/** A word as it is compared; empty for one that has nothing to compare. */
function foldWord(word: string): string {
  const lower = word.toLowerCase();
  if (PLAIN.test(lower)) return lower;
  return word
    .normalize('NFKD')
    .replace(DIACRITICS, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(NO_WORD_CHARACTER, '');
}

/** The words of `text`, folded, each once. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    const folded = foldWord(word);
    if (folded !== '') words.add(folded);
  }
  return words;
}

interface Hit {
  readonly start: number;
  readonly end: number;
}

/** Finds in a text where a word begins with one of `words`, which are folded. */
export type Finder = (text: string) => Hit | undefined;

export function createFinder(words: readonly string[]): Finder {
  // Nearly all texts are plain, and a list of thousands has to be searched: one expression for them.
  const plain = words.filter((word) => PLAIN.test(word));
  const inPlain = new RegExp(`(?<![a-z0-9])(?:${plain.join('|')})`, 'i');
  return (text) => {
    if (!PLAIN_TEXT.test(text)) return findInAny(text, words);
    const match = plain.length === 0 ? null : inPlain.exec(text);
    return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  };
}

function findInAny(text: string, words: readonly string[]): Hit | undefined {
  for (const match of text.matchAll(WORD)) {
    const folded = foldWord(match[0]);
    const word = words.find((wanted) => folded.startsWith(wanted));
    if (word !== undefined) {
      return { start: match.index, end: match.index + lengthBefore(match[0], word.length) };
    }
  }
  return undefined;
}

/** How much of `original` folds to `foldedLength` characters, with the marks that follow. */
function lengthBefore(original: string, foldedLength: number): number {
  let length = 0;
  let folded = 0;
  for (const character of original) {
    const added = foldWord(character).length;
    if (folded >= foldedLength && added > 0) break;
    folded += added;
    length += character.length;
  }
  return length;
}
