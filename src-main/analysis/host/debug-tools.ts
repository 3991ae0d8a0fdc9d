import { codesOfFrames, foldStacks } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perStacks } from '../index/per-trace.ts';

/** Tools for a hunt, by what people call them: what they do in a training loop is there only as long as somebody looks. */
const TOOLS: readonly { readonly name: string; readonly file: RegExp }[] = [
  { name: 'tracemalloc', file: /\/tracemalloc\.py$/ },
  { name: 'cProfile', file: /\/(cProfile|profile|pstats)\.py$/ },
  { name: 'the debugger', file: /\/(pdb|bdb|ipdb\/.*|debugpy\/.*|pydevd\w*\/.*)\.py$/ },
  { name: 'objgraph', file: /\/objgraph\.py$/ },
  { name: 'Pympler', file: /\/pympler\// },
  { name: 'memory_profiler', file: /\/memory_profiler\.py$/ },
  { name: 'line_profiler', file: /\/line_profiler\// },
  { name: 'guppy', file: /\/guppy\// },
];

/** By stack, 1 + number of the outermost of these tools on it; 0 = none. */
export const debugTools = perStacks((stacks) => {
  const codes = codesOfFrames(stacks, ({ file = '', language }) =>
    language === 'python' ? 1 + TOOLS.findIndex((tool) => tool.file.test(file)) : 0,
  );
  const into = new Uint8Array(stacks.length);
  return foldStacks(stacks, into, 0, (caller, frame) => caller || codes[frame]);
});

/** The tool that most of these stacks are in, `tracemalloc`; undefined where it is fewer than half of them. */
export function toolOf(trace: Trace, stacks: readonly number[]): string | undefined {
  const tools = debugTools(trace);
  const counts = new Map<number, number>();
  for (const stack of stacks) {
    const tool = tools[stack] ?? 0;
    if (tool > 0) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most !== undefined && most[1] * 2 >= stacks.length ? TOOLS[most[0] - 1]?.name : undefined;
}
