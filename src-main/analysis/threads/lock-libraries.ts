import { codesOfFrames, foldStacks } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perStacks } from '../index/per-trace.ts';

/**
 * Libraries that wait for a lock by trying, sleeping and trying again, by what people call them: no system call tells
 * such a wait from any other sleep. Add one here.
 */
const LIBRARIES: readonly { readonly name: string; readonly file: RegExp }[] = [
  { name: 'filelock', file: /\/filelock\/\w+\.py$/ },
  { name: 'portalocker', file: /\/portalocker\/\w+\.py$/ },
  { name: 'fasteners', file: /\/fasteners\/\w+\.py$/ },
  { name: 'lockfile', file: /\/(lockfile|zc\/lockfile)\/\w+\.py$/ },
  { name: 'flufl.lock', file: /\/flufl\/lock\/\w+\.py$/ },
  { name: 'diskcache', file: /\/diskcache\/recipes\.py$/ },
  { name: 'redis', file: /\/redis\/(asyncio\/)?lock\.py$/ },
  { name: 'torch.utils', file: /\/torch\/utils\/file_baton\.py$/ },
];

/** By stack, 1 + the number of the library that its innermost Python is of; 0 = of none. */
const libraries = perStacks((stacks) => {
  const codes = codesOfFrames(stacks, ({ file = '', language }) =>
    language === 'python' ? 2 + LIBRARIES.findIndex((library) => library.file.test(file)) : 0,
  );
  const innermost = foldStacks(stacks, new Uint8Array(stacks.length), 0, (caller, frame) =>
    codes[frame] === 0 ? caller : codes[frame],
  );
  return innermost.map((code) => Math.max(0, code - 1));
});

/**
 * The library that row `row` of off_cpu was in, if it is one of these. What a decorator of such a library calls is not in
 * it: the innermost Python counts.
 */
export function lockLibrary(trace: Trace, row: number): string | undefined {
  const stack = trace.tables.off_cpu.columns.stack?.[row] ?? -1;
  return stack < 0 ? undefined : LIBRARIES[(libraries(trace)[stack] ?? 0) - 1]?.name;
}
