/**
 * Of new code what a card has room for: the lines that the code before has not, in as few and as short lines as can be.
 * All of it stands in the finding, and is what Copy gives.
 */

/** So many rows of so many characters: of the card at 1280×800. */
interface Room {
  readonly rows: number;
  readonly columns: number;
}

export interface Excerpt {
  readonly code: string;
  /** Lines of code that were left out, imports and comments too. */
  readonly left: number;
}

/** Lines that every such code has, and that say nothing of it. */
const ROUTINE =
  /^\s*(?:#.*|import .*|from .* import .*|class \w+\((?:Iterable)?Dataset\):|def __len__\(self\):|return len\(.*\))?$/;

/** The lines of `after` that matter, in at most `rows` rows; no line is cut. */
export function linesThatMatter(before: string, after: string, { rows, columns }: Room): Excerpt {
  const all = after.split('\n');
  const old = new Set(before.split('\n'));
  const says = (line: string) => !ROUTINE.test(line);
  const isNew = (line: string) => !old.has(line) && says(line);
  const chosen = withHeads(all, all.some(isNew) ? isNew : says);
  const shown: string[] = [];
  let room = rows;
  for (const line of whole(chosen)) {
    const short = shortened(line, before, columns);
    room -= rowsOf(short, columns);
    if (room < 0 && shown.length > 0) break;
    shown.push(short);
  }
  // A head says nothing without what stands in it.
  while (shown.length > 1 && isHead(shown.at(-1) ?? '')) shown.pop();
  const written = all.filter((line) => line.trim() !== '').length;
  return {
    code: shown.join('\n'),
    left: written - shown.filter((line) => line.trim() !== '...').length,
  };
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** `def f():  # why`, which is no statement without the lines that stand in it. */
const isHead = (line: string) => /:\s*(?:#.*)?$/.test(line);

const GOES_ON = /^\s*(?:else|elif|except|finally)\b/;

/** The lines that `matter`, each with the `class`, `def`, `with` or `for` that it stands in. */
function withHeads(all: readonly string[], matter: (line: string) => boolean): string[] {
  const shown = new Set<number>();
  for (const [at, line] of all.entries()) {
    if (!matter(line)) continue;
    shown.add(at);
    let inner = indentOf(line);
    for (let above = at - 1; above >= 0 && inner > 0; above--) {
      const head = all[above] ?? '';
      if (head.trim() === '' || indentOf(head) >= inner) continue;
      shown.add(above);
      // An `except` goes on from its `try`.
      inner = indentOf(head) + (GOES_ON.test(head) ? 1 : 0);
    }
  }
  return all.filter((_, at) => shown.has(at));
}

/** `lines` as whole statements: `...` stands in each that would have nothing in it. */
function whole(lines: readonly string[]): string[] {
  return lines.flatMap((line, at) => {
    const next = lines[at + 1] ?? '';
    // A decorator is of the `def` below it.
    if (/^\s*@/.test(line) && !/^\s*(?:@|def |class |async )/.test(next)) return [];
    const isEmpty = isHead(line) && indentOf(next) <= indentOf(line);
    return isEmpty ? [line, `${' '.repeat(indentOf(line) + 4)}...`] : [line];
  });
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(line.length / columns));
}

/** `line` without what the code before has too, and without its remark where there is no room for it. */
function shortened(line: string, before: string, columns: number): string {
  const changed = onlyChangedArguments(line, before);
  return changed.length > columns ? changed.replace(/\s\s#\s.*$/, '') : changed;
}

/** `loader = DataLoader(…, num_workers=2)` and `DataLoader(rows, …)`, where all else is as it was. */
function onlyChangedArguments(line: string, before: string): string {
  const [, head = '', list, tail] = LOADER.exec(line) ?? [];
  const was = before.split('\n').find((each) => head !== '' && each.includes(head.trimStart()));
  const old = new Set(LOADER.exec(was ?? '')?.[2]?.split(', '));
  const told = (list ?? '').split(', ').map((argument) => (old.has(argument) ? '…' : argument));
  if (told.every((argument) => argument === '…')) return line;
  const short = told.filter((argument, at) => argument !== '…' || told[at - 1] !== '…');
  return list === undefined ? line : `${head}${short.join(', ')}${tail}`;
}

/** What stands before the arguments of a loader, them, and what stands behind. */
const LOADER = /^(.*\bDataLoader\()([^()]*(?:\([^()]*\)[^()]*)?)(\).*)$/;
