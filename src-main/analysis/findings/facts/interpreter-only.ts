import { NONE } from '../../../shared/model/schema.ts';
import {
  codesOfFrames,
  fileOf,
  foldStacks,
  isPython,
  symbolOf,
} from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { perStacks } from '../../index/per-trace.ts';
import { isOwnCode } from '../../stacks/loader-stacks.ts';

const INTERPRETER = /(^|\/)(lib)?python\d[\w.]*$/;
/** An address stands for a name that is not known. */
const UNNAMED = /^(0x[0-9a-f]+)?$/i;
const MOST = 0.9;

const PLAIN =
  /^\[(kernel|vdso)\]$|(^|\/)(lib)?python\d[\w.]*$|\/(libc|libpthread|ld-linux|ld-musl)[-.\w]*\.so|\/(libc|ld)-[\d.]+\.so$/;

/** By stack, 1 where nothing but the interpreter, what it brings, libc and the kernel run inside of the job’s own innermost function. */
export const inInterpreter = perStacks((stacks) => {
  const kinds = codesOfFrames(stacks, (frame) => {
    if (isOwnCode(frame)) return IS_OWN;
    if (frame.language === 'python') return Number(!STANDARD.test(frame.file ?? ''));
    return Number(!PLAIN.test(frame.file ?? ''));
  });
  return foldStacks(stacks, new Uint8Array(stacks.length), 0, (outer, frame) =>
    kinds[frame] === IS_OWN ? 1 : kinds[frame] === IS_OTHER ? 0 : outer,
  );
});

const [IS_OTHER, IS_OWN] = [1, 2];
/** Python’s own library. */
const STANDARD = /^<frozen |\/lib(64)?\/python\d[\d.]*\/(?!(site|dist)-packages\/)/;

/**
 * Whether almost all of `rows` of cpu_sample are in functions of the interpreter that have no name, called from one line of
 * Python: a loop in Python is met in the interpreter's named functions and at several lines too.
 */
export function isInterpreterOnly({ stacks, tables }: Trace, rows: readonly number[]): boolean {
  const { stack: column } = tables.cpu_sample.columns;
  const lines = new Map<number, number>();
  for (const row of rows) {
    const stack = column?.[row] ?? NONE;
    const line = stack === NONE ? NONE : callerOfUnnamed(stacks, stack);
    if (line !== NONE) lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  return rows.length > 0 && Math.max(0, ...lines.values()) >= rows.length * MOST;
}

/** The frame of the Python that called functions of the interpreter without a name, and nothing else; -1 = it did not. */
function callerOfUnnamed(stacks: Trace['stacks'], stack: number): number {
  let unnamed = 0;
  for (let at = stack; at !== NONE; at = stacks.prefix[at]) {
    const frame = stacks.frame[at];
    if (isPython(stacks, frame)) return unnamed > 0 ? frame : NONE;
    const file = fileOf(stacks, frame);
    if (file === '[kernel]') continue;
    if (!UNNAMED.test(symbolOf(stacks, frame)) || !INTERPRETER.test(file)) return NONE;
    unnamed++;
  }
  return NONE;
}
