import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { codeOf, processEventKinds } from '../../../shared/model/codes.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { plural } from '../../../shared/text/units.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts, WorkerFacts } from '../facts/facts.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { debugGuide, pytorchDocs } from '../fixes/sources.ts';
import { processEvents } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** cudaErrorNotReady and CUDA_ERROR_NOT_READY: an answer, not a failure. */
const NOT_READY = 600;

/** Forked workers use CUDA, which does not survive a fork once the parent has used it. */
export const spawn: Rule = { id: 'spawn', needs: [processEvents], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const calls = callsOfForked(facts);
  if (calls.length === 0) return undefined;
  const { returnCode } = facts.trace.tables.cuda_call.columns;
  const failed = calls.filter((row) => {
    const code = returnCode?.[row] ?? -1;
    return code > 0 && code !== NOT_READY;
  });
  const text = `${plural(calls.length, 'CUDA call')} came from DataLoader workers that were forked after the training process had begun to use CUDA`;
  const failure =
    failed.length > 0 ? ` ${plural(failed.length, 'of them', 'of them')} failed.` : '';
  const shown = evidence(
    `${text}.${failure}`,
    'exact',
    refsTo('cuda_call', failed.length > 0 ? failed : calls),
  );
  return {
    title: 'Forked DataLoader workers use CUDA',
    sentence: `${text}.${failure} CUDA does not work in such a process: it fails or hangs.`,
    confidence: failed.length > 0 ? 'proven' : 'likely',
    evidence: [shown],
    hotThreads: facts.workers.map(({ mainThread }) => mainThread),
    fix: fix(),
    chain: {
      system: evidence('The workers were forked from a process that used CUDA', 'exact'),
      host: shown,
      cuda: evidence(
        'What a failed or stuck worker costs cannot be told from its calls',
        'unknown',
      ),
    },
  };
}

/** Calls of workers whose process was forked after the rank's first call, and not replaced by exec. */
function callsOfForked({ trace, rank, workers }: RankFacts): number[] {
  const firstNs = Math.min(...rank.cudaThreads.map((thread) => firstCallNs(trace, thread)));
  return workers
    .filter((worker) => isForkedAfter(trace, worker, firstNs))
    .flatMap(({ threads }) =>
      threads.flatMap((thread) => [...traceIndex(trace).rowsOf('cuda_call', thread).rows]),
    );
}

function firstCallNs(trace: Trace, thread: number): number {
  return traceIndex(trace).rowsOf('cuda_call', thread).startsNs.nsAt(0) ?? Infinity;
}

function isForkedAfter(trace: Trace, { process, threads }: WorkerFacts, firstNs: number): boolean {
  const { startNs } = trace.processes[process] ?? {};
  if (startNs === undefined || startNs < firstNs) return false;
  const { kind } = trace.tables.process_event.columns;
  const exec = codeOf(processEventKinds, 'exec');
  return !threads.some((thread) =>
    traceIndex(trace)
      .rowsOf('process_event', thread)
      .rows.some((row) => kind[row] === exec),
  );
}

function fix(): Fix {
  return {
    title: 'Start the workers with spawn, or keep CUDA out of them',
    text: 'Best is a dataset that returns tensors in host memory, and a training loop that moves them to the GPU. Where a worker must use CUDA, it has to be started with spawn: a new interpreter, which takes seconds to start, and for which the script has to have its if __name__ == "__main__".',
    before: loaderLine('num_workers=your_num_workers'),
    after: loaderLine('num_workers=your_num_workers, multiprocessing_context="spawn"'),
    language: 'python',
    sources: [
      debugGuide(),
      pytorchDocs('CUDA in multiprocessing', 'docs/stable/notes/multiprocessing.html'),
    ],
  };
}
