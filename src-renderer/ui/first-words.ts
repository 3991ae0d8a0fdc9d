import { plainLines } from '../../src-main/markdown/plain.ts';

const MAX_LINE_LENGTH = 120;
/** So much of a text is read for its first line. */
const MAX_READ = 2_000;

/** The first line of Markdown that says something, without its marks; nothing where none does. */
export function firstWords(source: string): string | undefined {
  const [line] = plainLines(source.slice(0, MAX_READ));
  if (line === undefined || line.length <= MAX_LINE_LENGTH) return line;
  return `${line.slice(0, MAX_LINE_LENGTH - 1)}…`;
}
