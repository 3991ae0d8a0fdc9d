// Finds pauses of a fixed length that say nothing about why they are so long. A test that waits for time
// rather than for what it needs fails on a busy machine, and takes that time on any other.

export interface FixedSleep {
  readonly line: number;
  readonly ms: number;
}

/** What may stand without a reason. */
const SHORT_MS = 100;
/** Nobody waits for so long: it is a limit, or a job that lasts until a test ends it. */
const LIMIT_MS = 30_000;

/** Pauses longer than 100 ms without a comment on their line or the one before. */
export function unexplainedSleeps(source: string): readonly FixedSleep[] {
  const lines = source.split('\n');
  const isExplained = (line: number) =>
    COMMENT.test(lines[line - 1] ?? '') ||
    [line - 1, line - 2].some((at) => COMMENT_LINE.test(lines[at] ?? ''));
  const constants = constantsOf(source);
  return [...callSleeps(source, constants), ...jobSleeps(source), ...cSleeps(source)]
    .map(({ at, ms, name }) => ({ line: lineAt(source, at), ms, name }))
    .filter(({ ms }) => ms > SHORT_MS && ms < LIMIT_MS)
    .filter(({ line, name = '' }) => {
      const declared = constants.get(name);
      return !isExplained(line) && (declared === undefined || !isExplained(declared.line));
    })
    .map(({ line, ms }) => ({ line, ms }))
    .sort((one, other) => one.line - other.line);
}

interface Sleep {
  readonly at: number;
  readonly ms: number;
  /** The constant that it is as long as. */
  readonly name?: string;
}

interface Constant {
  readonly ms: number;
  readonly line: number;
}

const COMMENT = /(^|[^:])\/\/|\/\*|(^|\s)#\s/;
const COMMENT_LINE = /^\s*(\/\/|\/\*|\*|#\s|<!--)/;
const DECLARATION = /^\s*(?:export )?const (\w+) = ([\d_.]+);/gm;
const TIMESPEC = /\.tv_nsec = (\d+)( \* NS_PER_MS)?/g;
const CALL = /\b(setTimeout|waitForTimeout|Atomics\.wait|usleep|sleep|delay|wait|pause)\(/g;
const PYTHON = /\btime\.$/;
const NUMBER = /^[\d_]*\.?\d+$/;
/** Of a shell, and as the words of a command. */
const JOB = /\bsleep (\d*\.?\d+)\b|'sleep', \[?'(\d*\.?\d+)'/g;

function constantsOf(source: string): ReadonlyMap<string, Constant> {
  const found = [...source.matchAll(DECLARATION)].map(
    ({ 0: text, 1: name = '', 2: value = '', index }) => {
      const at = index + text.indexOf('const');
      return [name, { ms: numberOf(value), line: lineAt(source, at) }] as const;
    },
  );
  return new Map(found);
}

function* callSleeps(source: string, constants: ReadonlyMap<string, Constant>): Generator<Sleep> {
  for (const { 0: text, 1: name = '', index } of source.matchAll(CALL)) {
    const given = argumentsAt(source, index + text.length);
    // The length comes first, or behind what is called then.
    const length = given.find((word) => NUMBER.test(word) || constants.has(word));
    if (length === undefined) continue;
    const constant = constants.get(length);
    const units = constant?.ms ?? numberOf(name === 'Atomics.wait' ? (given.at(-1) ?? '') : length);
    const ms = units * unitMs(name, PYTHON.test(source.slice(0, index)));
    yield constant === undefined ? { at: index, ms } : { at: index, ms, name: length };
  }
}

function unitMs(name: string, isPython: boolean): number {
  if (name === 'usleep') return 1e-3;
  return isPython ? 1000 : 1;
}

function* jobSleeps(source: string): Generator<Sleep> {
  for (const { 1: shell, 2: word, index } of source.matchAll(JOB)) {
    yield { at: index, ms: Number(shell ?? word) * 1000 };
  }
}

function* cSleeps(source: string): Generator<Sleep> {
  for (const { 1: number = '', 2: isMs, index } of source.matchAll(TIMESPEC))
    yield { at: index, ms: Number(number) * (isMs === undefined ? 1e-6 : 1) };
}

/** What stands between the parenthesis that opens before `from` and its match, parted at its commas. */
function argumentsAt(source: string, from: number): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let begin = from;
  for (let at = from; at < source.length && depth >= 0; at++) {
    const letter = source[at] ?? '';
    if ('([{'.includes(letter)) depth++;
    if (')]}'.includes(letter)) depth--;
    if (depth < 0 || (depth === 0 && letter === ',')) {
      parts.push(source.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  return parts;
}

function numberOf(text: string): number {
  return Number(text.replaceAll('_', ''));
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split('\n').length;
}
