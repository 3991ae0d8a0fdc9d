/** The words of one line of an SSH configuration, as OpenSSH's misc.c splits them. */

const SPACE = ' \t\r\n';

export interface Delimited {
  readonly word: string;
  /** What follows; absent: nothing. */
  readonly rest?: string;
}

/**
 * The first word of `text`, which ends at white space, at one `=`, or at its closing quote: `strdelim`.
 * Undefined where a quote is not closed.
 */
export function takeWord(text: string): Delimited | undefined {
  const end = text.search(/[ \t\r\n"=]/);
  if (end === -1) return { word: text };
  if (text[end] === '"') {
    const close = text.indexOf('"', end + 1);
    if (close === -1) return undefined;
    return {
      word: text.slice(0, end) + text.slice(end + 1, close),
      rest: skipSpace(text, close + 1),
    };
  }
  let rest = skipSpace(text, end + 1);
  if (text[end] !== '=' && rest.startsWith('=')) rest = skipSpace(rest, 1);
  return { word: text.slice(0, end), rest };
}

function skipSpace(text: string, from: number): string {
  let at = from;
  while (at < text.length && SPACE.includes(text.charAt(at))) at += 1;
  return text.slice(at);
}

/** Keyword in lower case and the rest of its line; undefined for comments and empty lines. */
export function splitKeyword(line: string): { keyword: string; rest: string } | undefined {
  const text = line.replace(/[ \t\r\n\f]+$/, '');
  let first = takeWord(text);
  if (first?.word === '' && first.rest !== undefined) first = takeWord(first.rest);
  if (first === undefined || first.word === '' || first.word.startsWith('#')) return undefined;
  return { keyword: first.word.toLowerCase(), rest: first.rest ?? '' };
}

/**
 * The arguments of a keyword: quotes of both kinds, `\` before a quote, a backslash or a space, a
 * comment at the end. Undefined where a quote is not closed.
 */
export function splitArguments(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    const first = text.charAt(at);
    if (first === ' ' || first === '\t') at += 1;
    else if (first === '#') break;
    else {
      const word = takeArgument(text, at);
      if (word === undefined) return undefined;
      words.push(word.text);
      at = word.end + 1;
    }
  }
  return words;
}

function takeArgument(text: string, from: number): { text: string; end: number } | undefined {
  let word = '';
  let quote = '';
  let at = from;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    const escapes = next === '"' || next === "'" || next === '\\' || (quote === '' && next === ' ');
    if (character === '\\' && escapes) {
      word += next;
      at += 1;
    } else if (quote === '' && (character === ' ' || character === '\t')) break;
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
    else word += character;
  }
  return quote === '' ? { text: word, end: at } : undefined;
}
