import { NONE } from '../../../shared/model/schema.ts';
import { codesOfFrames, foldStacks } from '../../../shared/model/stacks.ts';
import { perStacks } from '../../index/per-trace.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import type { RankFacts } from './facts.ts';
import { DOMINANT_SHARE, SAMPLES_AT_LEAST } from './loader-work.ts';
import { placeOfThreads } from './thread-work.ts';

const STARTED = /(^|\.)(run|_bootstrap|_bootstrap_inner)$/;

/** By stack, 1 where the thread is one of Python’s `threading`, as those of a ThreadPoolExecutor are. */
const isPythonThread = perStacks((stacks) => {
  const starts = codesOfFrames(stacks, ({ symbol, file = '', language }) =>
    Number(language === 'python' && file.endsWith('/threading.py') && STARTED.test(symbol)),
  );
  const into = new Uint8Array(stacks.length);
  return foldStacks(stacks, into, 0, (outer, frame) => outer | starts[frame]);
});

/** Threads that the job’s own Python started, not a library of native code. */
interface PythonThreads {
  /** `decode (train.py:12)`: where most of their CPU samples were; undefined where no function has half of them. */
  readonly place: string | undefined;
}

/** Whether most CPU samples of `threads` show that they are Python’s; undefined where they don’t, or where there are few. */
export function pythonThreads(
  facts: RankFacts,
  threads: readonly number[],
): PythonThreads | undefined {
  const { trace, window } = facts;
  const { stack } = trace.tables.cpu_sample.columns;
  const isPython = isPythonThread(trace);
  const rows = threads.flatMap((thread) => [...samplesWithin(trace, thread, window)]);
  const count = rows.filter((row) => isPython[stack?.[row] ?? NONE] === 1).length;
  if (rows.length < SAMPLES_AT_LEAST || count < rows.length * DOMINANT_SHARE) return undefined;
  return { place: placeOfThreads(facts, threads) };
}
