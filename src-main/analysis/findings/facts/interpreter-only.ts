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

/** With fewer samples that most are there may be chance. */
const SAMPLES_AT_LEAST = 25;

/**
 * What it means that almost all of `rows` of cpu_sample are in functions of the interpreter that have no name; empty where they
 * are not: a loop in Python is met in its named functions too. At one line that is a call of something built in. At several it
 * may be the collector, whose functions have no names where a program has no symbols: no stack proves it then, so what would is said.
 */
export function unnamedText({ stacks, tables }: Trace, rows: readonly number[]): string {
  const { stack: column } = tables.cpu_sample.columns;
  const lines = new Map<number, number>();
  for (const row of rows) {
    const stack = column?.[row] ?? NONE;
    const line = stack === NONE ? NONE : callerOfUnnamed(stacks, stack);
    if (line !== NONE) lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  const counts = [...lines.values()];
  const most = rows.length * MOST;
  if (rows.length > 0 && Math.max(0, ...counts) >= most)
    return 'Almost all of these were inside the interpreter itself, at one line: a built-in call that takes long, such as gc.collect(), or sorted() of a long list.';
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (rows.length < SAMPLES_AT_LEAST || all < most) return '';
  return `Almost all of these were inside the interpreter itself, at ${counts.length} lines, in functions that have no name in this build. A part may be garbage collection, which comes wherever objects are made: gc.callbacks times it, and in a run with gc.disable() it is gone.`;
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
