import { hostOfThread } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { formatShare, plural } from '../../shared/text/units.ts';
import { traceIndex } from '../index/trace-index.ts';
import { countCudaCalls, cudaThreadsOf } from '../jobs/cuda-threads.ts';
import type { ProcessTree } from '../jobs/process-tree.ts';

/** Servers wait for connections by these; a DataLoader's queue is waited for by poll or a futex. */
const FOR_REQUESTS = /^(epoll_(p)?wait2?|epoll_wait_old|accept4?)$/;
/** Of its time, so much a server sleeps so that nothing else is to be said of it. Our own choice. */
const MOST_OF_TIME = 0.5;
/** Fewer waits with CUDA calls after them may be a job that fetches something as it starts. */
const ENOUGH_REQUESTS = 5;
/** A job that marks its steps, or takes batches from a DataLoader, trains. */
const TRAINING_RANGE = /^ProfilerStep#|^enumerate\(DataLoader\)#/;

/**
 * Why a process is taken for a server by what its CUDA thread does: for most of its time it sleeps in
 * epoll or accept, from which no thread of its own job wakes it, and it makes its CUDA calls after that.
 * Worked out, not recorded: a program of any name may do so.
 */
export function requestLoopSign(
  trace: Trace,
  process: number,
  tree: ProcessTree,
): string | undefined {
  const thread = cudaThreadOf(trace, process);
  if (thread === NONE || marksTraining(trace, process)) return undefined;
  const { durationNs } = trace.tables.cuda_call.columns;
  const calls = traceIndex(trace).rowsOf('cuda_call', thread);
  const waits = requestWaits(trace, thread, process, tree);
  const last = calls.rows.length - 1;
  if (waits.length < ENOUGH_REQUESTS || last < 0) return undefined;
  const endNs = Math.max(
    calls.startsNs[last] + durationNs[calls.rows[last]],
    waits[waits.length - 1].endNs,
  );
  const lengthNs = endNs - Math.min(calls.startsNs[0], waits[0].startNs);
  const asleepNs = waits.reduce((sum, wait) => sum + wait.endNs - wait.startNs, 0);
  const answered = waits.filter(({ endNs: cameNs }, at) => {
    const next = calls.startsNs[lowerBound(calls.startsNs, cameNs)];
    return next < (waits[at + 1]?.startNs ?? Infinity);
  }).length;
  if (asleepNs < lengthNs * MOST_OF_TIME || answered < ENOUGH_REQUESTS) return undefined;
  return `sleeps in ${waits[0].name} for ${formatShare(asleepNs, lengthNs)} of its time, and makes CUDA calls after ${plural(answered, 'such wait')}, as a server does (inferred)`;
}

interface RequestWait {
  readonly startNs: number;
  readonly endNs: number;
  readonly name: string;
}

/** The waits of `thread` in epoll or accept that no thread of its process, or of one below it, ended. */
function requestWaits(
  trace: Trace,
  thread: number,
  process: number,
  tree: ProcessTree,
): readonly RequestWait[] {
  const { durationNs, syscall, waker } = trace.tables.off_cpu.columns;
  if (syscall === undefined) return [];
  const host = hostOfThread(trace, thread);
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  const found: RequestWait[] = [];
  rows.forEach((row, at) => {
    const name = syscall[row] < 0 ? undefined : syscallName(syscall[row], host);
    if (name === undefined || !FOR_REQUESTS.test(name)) return;
    const by = trace.threads[waker?.[row] ?? NONE]?.process ?? NONE;
    if (descendsFrom(tree, by, process)) return;
    found.push({ startNs: startsNs[at], endNs: startsNs[at] + durationNs[row], name });
  });
  return found;
}

function descendsFrom({ parents }: ProcessTree, process: number, above: number): boolean {
  for (let at = process; at !== NONE; at = parents[at] ?? NONE) if (at === above) return true;
  return false;
}

function cudaThreadOf(trace: Trace, process: number): number {
  const own = trace.threads.flatMap((thread, at) => (thread.process === process ? [at] : []));
  return cudaThreadsOf(trace, countCudaCalls(trace), own)[0] ?? NONE;
}

function marksTraining(trace: Trace, process: number): boolean {
  const { op, thread } = trace.tables.range.columns;
  const marks = trace.names.map((name) => TRAINING_RANGE.test(name));
  return (
    marks.includes(true) &&
    op.some((name, row) => marks[name] && trace.threads[thread[row]]?.process === process)
  );
}
