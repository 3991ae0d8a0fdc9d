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

/** The words of `text`, folded, in their order. */
export function* wordsInOrder(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) {
    const folded = foldWord(word);
    if (folded !== '') yield folded;
  }
}

/** The words of `text`, folded, each once. */
export function wordsOf(text: string): Set<string> {
  return new Set(wordsInOrder(text));
}

const TERM = new RegExp(`(?:${WORD.source})(?:[_./-]+(?:${WORD.source}))*`, 'gu');

/**
 * What is searched for: terms, folded, each once. What is written with `_`, `.`, `/` or `-` inside
 * is one term: its words in their order with a space between, of which the last may be begun only.
 */
export function termsOf(search: string): Set<string> {
  const terms = new Set<string>();
  for (const [written] of search.matchAll(TERM)) {
    const term = [...wordsInOrder(written)].join(' ');
    if (term !== '') terms.add(term);
  }
  return terms;
}

export interface Hit {
  readonly start: number;
  readonly end: number;
}

/** Finds in a text where one of `terms`, as termsOf makes them, begins. */
export type Finder = (text: string) => Hit | undefined;

export function createFinder(terms: readonly string[]): Finder {
  // Nearly all texts are plain, and a list of thousands has to be searched: one expression for them.
  const plain = terms
    .filter((term) => term.split(' ').every((word) => PLAIN.test(word)))
    .map((term) => term.replaceAll(' ', '[^a-z0-9]+'));
  const inPlain = new RegExp(`(?<![a-z0-9])(?:${plain.join('|')})`, 'i');
  const split = terms.map((term) => term.split(' '));
  return (text) => {
    if (!PLAIN_TEXT.test(text)) return findInAny(text, split);
    const match = plain.length === 0 ? null : inPlain.exec(text);
    return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  };
}

interface Word {
  readonly start: number;
  readonly text: string;
  readonly folded: string;
}

function findInAny(text: string, terms: readonly (readonly string[])[]): Hit | undefined {
  const longest = Math.max(...terms.map((term) => term.length));
  // As many words as the longest term has, the first of which may begin one.
  const window: Word[] = [];
  const check = () => hitOf(window, terms);
  for (const match of text.matchAll(WORD)) {
    const folded = foldWord(match[0]);
    if (folded === '') continue;
    window.push({ start: match.index, text: match[0], folded });
    if (window.length < longest) continue;
    const hit = check();
    if (hit !== undefined) return hit;
    window.shift();
  }
  for (; window.length > 0; window.shift()) {
    const hit = check();
    if (hit !== undefined) return hit;
  }
  return undefined;
}

/** The first term that the words of `window` begin with. */
function hitOf(window: readonly Word[], terms: readonly (readonly string[])[]): Hit | undefined {
  for (const term of terms) {
    const first = window[0];
    const last = window[term.length - 1];
    const begun = term.at(-1);
    if (first === undefined || last === undefined || begun === undefined) continue;
    const isWhole = term.slice(0, -1).every((word, at) => window[at]?.folded === word);
    if (isWhole && last.folded.startsWith(begun))
      return { start: first.start, end: last.start + lengthBefore(last.text, begun.length) };
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
