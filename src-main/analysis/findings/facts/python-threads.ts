import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { formatCount } from '../../../shared/text/units.ts';
import { perStacks } from '../../index/per-trace.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { evidence, refsTo } from './evidence.ts';
import type { RankFacts } from './facts.ts';
import { DOMINANT_SHARE, SAMPLES_AT_LEAST } from './loader-work.ts';
import { placeOfThreads } from './thread-work.ts';

const STARTED = /(^|\.)(run|_bootstrap|_bootstrap_inner)$/;

/** By stack, 1 where the thread is one of Python’s `threading`, as those of a ThreadPoolExecutor are. */
const isPythonThread = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ symbol, file = '', language }) =>
    Number(language === 'python' && file.endsWith('/threading.py') && STARTED.test(symbol)),
  ),
);

/** Threads of Python that run the job’s own code, not those of a library. */
interface PythonThreads {
  readonly evidence: Evidence;
  /** `decode (train.py:12)`: where most of their CPU samples were; undefined where no function has half of them. */
  readonly place: string | undefined;
}

/** What most CPU samples of `threads` show, where that is the job’s own code in threads of Python; undefined where they don’t, or where there are few. */
export function pythonThreads(
  facts: RankFacts,
  threads: readonly number[],
): PythonThreads | undefined {
  const { trace, window } = facts;
  const { stack } = trace.tables.cpu_sample.columns;
  const isPython = isPythonThread(trace);
  const { own } = loaderStacks(trace);
  const rows = threads.flatMap((thread) => [...samplesWithin(trace, thread, window)]);
  const shown = rows.filter((row) => {
    const at = stack?.[row] ?? NONE;
    return isPython[at] === 1 && own[at] !== NONE;
  });
  if (rows.length < SAMPLES_AT_LEAST || shown.length < rows.length * DOMINANT_SHARE)
    return undefined;
  const text = `${formatCount(shown.length)} of ${formatCount(rows.length)} CPU samples of these threads were in the job’s own code, in threads that Python started`;
  return {
    evidence: evidence(text, 'inferred', refsTo('cpu_sample', shown)),
    place: placeOfThreads(facts, threads),
  };
}
