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
  const isNew = (line: string) => !old.has(line) && !ROUTINE.test(line);
  const changed = withHeads(all, isNew);
  const chosen = changed.length > 0 ? changed : all.filter((line) => !ROUTINE.test(line));
  const short = withoutIndent(chosen).map((line) => shortened(line, before, columns));
  const shown: string[] = [];
  let room = rows;
  for (const line of short) {
    room -= rowsOf(line, columns);
    if (room < 0 && shown.length > 0) break;
    shown.push(line);
  }
  const written = all.filter((line) => line.trim() !== '').length;
  return { code: shown.join('\n'), left: written - shown.length };
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** The lines that `isNew`, and where some of them stand further in than others the `class`, `def` or `for` that they stand in. */
function withHeads(all: readonly string[], isNew: (line: string) => boolean): string[] {
  const least = Math.min(...all.filter(isNew).map(indentOf));
  const shown = new Set<number>();
  for (const [at, line] of all.entries()) {
    if (!isNew(line)) continue;
    shown.add(at);
    let inner = indentOf(line);
    for (let above = at - 1; above >= 0 && inner > least; above--) {
      const head = all[above] ?? '';
      if (head.trim() === '' || indentOf(head) >= inner) continue;
      inner = indentOf(head);
      shown.add(above);
    }
  }
  return all.filter((_, at) => shown.has(at));
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(line.length / columns));
}

function withoutIndent(lines: readonly string[]): string[] {
  const indent = Math.min(...lines.map(indentOf));
  return lines.map((line) => line.slice(indent));
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
