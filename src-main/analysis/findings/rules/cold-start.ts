import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { codeOf, processEventKinds } from '../../../shared/model/codes.ts';
import { percentiles } from '../../../shared/numbers/percentile.ts';
import { formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { windowNs } from '../facts/job-shape.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { processEvents } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Fewer calls of an operation do not show what is usual. Our own choice, as are the next two. */
const CALLS_AT_LEAST = 10;
/** So many times what 95 % of the others took at most. */
const SLOWER_AT_LEAST = 10;
/** Of the window, all first calls together. */
const EXCESS_AT_LEAST = 0.02;

/** A first call, and what it took beyond the 95th percentile of those that followed. */
interface FirstCall {
  readonly row: number;
  readonly excessNs: number;
}

/** Only the first calls are slow: what they load and set up is no bottleneck of the training. */
export const coldStart: Rule = { id: 'cold-start', needs: [processEvents], judge };

function judge(facts: RankFacts): Judgement | undefined {
  if (!isFromTheStart(facts)) return undefined;
  const slow = slowFirstCalls(facts).sort((a, b) => b.excessNs - a.excessNs);
  const excessNs = slow.reduce((sum, call) => sum + call.excessNs, 0);
  if (slow.length === 0 || excessNs < windowNs(facts) * EXCESS_AT_LEAST) return undefined;
  const { trace } = facts;
  const { op, durationNs } = trace.tables.cuda_call.columns;
  const [{ row }] = slow as [FirstCall];
  const name = trace.names[op[row]] ?? '';
  const text = `The first ${name} took ${formatDuration(durationNs[row])}; first calls took ${formatDuration(excessNs)} longer than later ones`;
  const refs = refsTo(
    'cuda_call',
    slow.map((call) => call.row),
  );
  const shown = evidence(text, 'exact', refs);
  return {
    title: 'The first calls are slow, later ones are not',
    sentence: `${text}: ${formatShare(excessNs, windowNs(facts))} of the time that was recorded. In a longer run that share shrinks.`,
    confidence: 'proven',
    evidence: [shown],
    fix: fix(),
    chain: {
      system: evidence('What a first call loads or sets up is not in this trace', 'unknown'),
      host: shown,
      cuda: evidence(
        `${plural(slow.length, 'operation')} ran at the usual speed from the second call on`,
        'exact',
        refs,
      ),
    },
  };
}

/** Whether the process was recorded from its start: else its first calls were before. */
function isFromTheStart({ trace, rank }: RankFacts): boolean {
  if (trace.processes[rank.process]?.startNs !== undefined) return true;
  const { kind, thread } = trace.tables.process_event.columns;
  const exec = codeOf(processEventKinds, 'exec');
  return kind.some(
    (each, row) => each === exec && trace.threads[thread[row]]?.process === rank.process,
  );
}

/** By operation of each CUDA thread: the first call, where it was far slower than the rest. */
function slowFirstCalls({ trace, rank, window }: RankFacts): FirstCall[] {
  const { op, startNs, durationNs } = trace.tables.cuda_call.columns;
  return rank.cudaThreads.flatMap((thread) => {
    const byOp = new Map<number, number[]>();
    for (const row of traceIndex(trace).rowsOf('cuda_call', thread).rows) {
      const rows = byOp.get(op[row]);
      if (rows === undefined) byOp.set(op[row], [row]);
      else rows.push(row);
    }
    return [...byOp.values()].flatMap((rows) => {
      const [first = -1, ...later] = rows;
      if (rows.length < CALLS_AT_LEAST || startNs[first] < window[0]) return [];
      const [usualNs] = percentiles(
        Float64Array.from(later, (row) => durationNs[row]),
        [95],
      );
      const isSlow = durationNs[first] >= usualNs * SLOWER_AT_LEAST;
      return isSlow ? [{ row: first, excessNs: durationNs[first] - usualNs }] : [];
    });
  });
}

function fix(): Fix {
  return {
    title: 'Warm up before you measure',
    text: 'Run a few steps first and start the clock, or the recording, after them. For the training itself nothing needs to change.',
    before: `import time

begin = time.perf_counter()
for batch in your_loader:
    your_step(batch)
print(time.perf_counter() - begin)`,
    after: `import time

WARM_UP = 3  # steps that the clock leaves out
for step, batch in enumerate(your_loader):
    if step == WARM_UP:
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        begin = time.perf_counter()
    your_step(batch)
if torch.cuda.is_available():
    torch.cuda.synchronize()
print(time.perf_counter() - begin)`,
    language: 'python',
    sources: [pytorchDocs('Benchmark, on warming up', 'tutorials/recipes/recipes/benchmark.html')],
  };
}
