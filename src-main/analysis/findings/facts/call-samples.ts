import { NONE } from '../../../shared/model/schema.ts';
import { codesOfFrames, foldStacks, symbolOf } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatShare } from '../../../shared/text/units.ts';
import { perStacks } from '../../index/per-trace.ts';
import type { RankFacts } from './facts.ts';
import { FEW_SAMPLES } from './most-sampled.ts';
import { longCallsAreKnown, storedCalls } from './recorded-calls.ts';

/** With fewer samples a share is off by more than ten percentage points. */
const SAMPLES_AT_LEAST = 25;
/** Less is the usual cost of a program. Our own choice, as is the next. */
const NOTABLE = 0.3;
const NAMED_SHARE = 0.1;
/** More names are details. */
const TOLD = 3;

/** The kernel’s function of a system call: `__x64_sys_openat`, `__arm64_sys_read`, `ksys_read` where that is all that is left. */
const ENTRY = /^(?:__(?:x64|ia32|arm64|se|do)_sys_|ksys_)(\w+)$/;

/** What the kernel calls otherwise than programs do. */
const OTHERWISE: Readonly<Record<string, string>> = {
  mmap_pgoff: 'mmap',
  fadvise64_64: 'fadvise64',
  newstat: 'stat',
  newlstat: 'lstat',
  newfstat: 'fstat',
};

/** By stack, the row of the system call that it is in; -1 = it is in none, or stacks do not show the kernel. */
const callOfStacks = perStacks((stacks) => {
  const isEntry = codesOfFrames(stacks, ({ file, symbol }) =>
    Number(file === '[kernel]' && ENTRY.test(symbol)),
  );
  // The outermost is the call, as it is named for the program.
  return foldStacks(stacks, new Int32Array(stacks.length), NONE, (outer, frame, stack) =>
    outer !== NONE ? outer : isEntry[frame] === 1 ? stack : NONE,
  );
});

/** The system calls that `rows` of cpu_sample were in, with how many, most first. */
function callsAmong(trace: Trace, rows: readonly number[]): readonly (readonly [string, number])[] {
  const { stacks } = trace;
  const { stack } = trace.tables.cpu_sample.columns;
  const callOf = callOfStacks(trace);
  const counts = new Map<string, number>();
  for (const row of rows) {
    const at = callOf[stack?.[row] ?? NONE] ?? NONE;
    if (at === NONE) continue;
    const [, called = ''] = ENTRY.exec(symbolOf(stacks, stacks.frame[at])) ?? [];
    const name = OTHERWISE[called] ?? called;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/**
 * `62.0 % of these CPU samples were in the kernel, in system calls: openat 40.0 %, read 20.0 %.`, of `rows` of cpu_sample of
 * `threads`, where so many of them were; else empty. That there are many short calls is said where all long ones are known.
 */
export function systemCallsText(
  facts: RankFacts,
  rows: readonly number[],
  threads: readonly number[],
): string {
  const calls = callsAmong(facts.trace, rows);
  const all = calls.reduce((sum, [, count]) => sum + count, 0);
  const named = calls
    .filter(([, count]) => count >= Math.max(FEW_SAMPLES, rows.length * NAMED_SHARE))
    .slice(0, TOLD);
  const [most] = named;
  if (rows.length < SAMPLES_AT_LEAST || all < rows.length * NOTABLE || most === undefined)
    return '';
  const shares = named.map(([name, count]) => `${name} ${formatShare(count, rows.length)}`);
  const areShort = longCallsAreKnown(facts.trace) && storedCalls(facts, threads, most[0]) === 0;
  const short = areShort ? ` No ${most[0]} call took 1 ms: there are many short ones.` : '';
  return `${formatShare(all, rows.length)} of these CPU samples were in the kernel, in system calls: ${shares.join(', ')}.${short}`;
}
