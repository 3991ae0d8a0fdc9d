import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';

/** What a thread waited on: what its descriptor stood for, or what is mapped where it touched memory. */
export interface AwaitedFile {
  /** The traced machine’s own text, uncut: in half a path a report can’t see what to hide. */
  readonly name: string;
  /** Only what kind of file it was is known. */
  readonly isKind: boolean;
  /** What follows “waited for”: the name, or `a file`. */
  readonly text: string;
}

/** What the agent writes of files that were closed before it could look up their names. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['regular file', 'a file'],
  ['mapped file', 'a mapped file'],
  ['directory', 'a folder'],
  ['named pipe', 'a named pipe'],
  ['character device', 'a device'],
  ['block device', 'a disk'],
]);

/** The file that row `row` of off_cpu waited on; `undefined` where none is known. */
export function awaitedFile(trace: Trace, row: number): AwaitedFile | undefined {
  const said = trace.names[trace.tables.off_cpu.columns.file?.[row] ?? -1] ?? '';
  if (said === '') return undefined;
  const name = cleanText(said);
  const kind = kinds.get(name);
  return { name, isKind: kind !== undefined, text: kind ?? name };
}

/**
 * Whether the names of files are those of the files waited on, by the kernel's word. Else they were
 * looked up when the waits were over: a descriptor closed meanwhile has the name of the next file.
 */
export function filesAreProved({ tables }: Trace): boolean {
  const kind = tables.off_cpu.columnProvenance.file?.kind;
  return kind === 'exact' || kind === 'partial';
}
