/** How well a text answers what was typed, and which of its characters did. */
export interface FuzzyMatch {
  readonly score: number;
  /** Indices into the text, ascending. */
  readonly positions: readonly number[];
}

const AT_START = 40;
const AT_WORD = 25;
const INSIDE = 12;
const STARTS = 2;

const isWordStart = (text: string, index: number) =>
  index === 0 || !/[\p{L}\p{N}]/u.test(text[index - 1] ?? '');

function run(from: number, length: number): number[] {
  return Array.from({ length }, (_, offset) => from + offset);
}

/** The word as it stands in the text, best at the start of a word. */
function matchWhole(word: string, text: string): FuzzyMatch | undefined {
  let inside = -1;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isWordStart(text, at))
      return {
        score: (at === 0 ? AT_START : AT_WORD) + word.length,
        positions: run(at, word.length),
      };
    if (inside < 0) inside = at;
  }
  return inside < 0
    ? undefined
    : { score: INSIDE + word.length, positions: run(inside, word.length) };
}

/** The word as starts of words of the text, in their order: `nsc` in "Next slow CUDA call". */
function matchStarts(word: string, text: string): FuzzyMatch | undefined {
  const positions = startsFrom([...word], text, 0, false);
  if (positions === undefined) return undefined;
  const starts = positions.filter((at) => isWordStart(text, at)).length;
  return { score: STARTS + starts, positions };
}

/** Where the letters are from `from` on: each right after the one before, or where a word begins. */
function startsFrom(
  letters: readonly string[],
  text: string,
  from: number,
  mayGoOn: boolean,
): number[] | undefined {
  const [letter, ...others] = letters;
  if (letter === undefined) return [];
  for (let at = text.indexOf(letter, from); at >= 0; at = text.indexOf(letter, at + 1)) {
    if (!isWordStart(text, at) && !(mayGoOn && at === from)) continue;
    const rest = startsFrom(others, text, at + letter.length, true);
    if (rest !== undefined) return [...run(at, letter.length), ...rest];
  }
  return undefined;
}

/** Matches each word of `query` anywhere in `text`, without regard to case; nothing where one is not in it. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  const lower = text.toLowerCase();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  let score = 0;
  const positions = new Set<number>();
  for (const word of words) {
    const match = matchWhole(word, lower) ?? matchStarts(word, lower);
    if (match === undefined) return undefined;
    score += match.score;
    for (const position of match.positions) positions.add(position);
  }
  // Lower case may be longer than what it comes from: then nothing can be marked.
  const marked = lower.length === text.length ? [...positions].sort((a, b) => a - b) : [];
  return { score, positions: marked };
}
