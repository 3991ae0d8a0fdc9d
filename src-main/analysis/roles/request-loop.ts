import type { Trace } from '../../shared/model/trace.ts';
import { formatShare, plural } from '../../shared/text/units.ts';
import { traceIndex } from '../index/trace-index.ts';
import { countCudaCalls, cudaThreadsOf } from '../jobs/cuda-threads.ts';
import type { ProcessTree } from '../jobs/process-tree.ts';
import { type Arrival, arrivalsOf, connectionBefore } from './request-arrivals.ts';
import { runsTraining } from './training-signs.ts';

/** Of its time, so much a thread waits for another one so that it is there for its requests. Our own choice. */
const MOST_OF_TIME = 0.5;
/**
 * A thread that waits for connections itself is there to answer them: less of its time will do, but a socket that a
 * training loop looks after beside its work takes next to none. Our own choice.
 */
const SOME_OF_TIME = 0.1;
/** Fewer waits with CUDA calls after them may be a job that fetches something as it starts. */
const ENOUGH_REQUESTS = 5;

/**
 * Why a process is taken for a server by what its CUDA calls are made for: the thread that makes them waits for
 * requests, is handed them by a thread that does, or is started for each. Nothing in it trains, and it is no rank
 * of several, which wait for each other on sockets. Worked out, not recorded: a program of any name may do so.
 */
export function requestLoopSign(
  trace: Trace,
  process: number,
  tree: ProcessTree,
): string | undefined {
  const isRank = (trace.processes[process].worldSize ?? 1) > 1;
  if (isRank || runsTraining(trace, process)) return undefined;
  const own = trace.threads.flatMap((thread, at) => (thread.process === process ? [at] : []));
  const [thread, ...others] = cudaThreadsOf(trace, countCudaCalls(trace), own);
  if (thread === undefined) return undefined;
  const arrivals = arrivalsOf(trace, thread, process, tree);
  return (
    waitingSign(trace, thread, arrivals) ??
    handedOnSign(trace, thread, arrivals) ??
    threadPerRequestSign(trace, [thread, ...others], own)
  );
}

function waitingSign(
  trace: Trace,
  thread: number,
  arrivals: readonly Arrival[],
): string | undefined {
  const waits = arrivals.filter(({ kind }) => kind !== 'handed-on');
  const told = answeredBy(trace, thread, waits);
  if (told === undefined || told.asleepShare < SOME_OF_TIME) return undefined;
  const { kind, call } = mostOf(waits);
  const where =
    kind === 'epoll' ? `sleeps in ${call}` : `waits for requests on a socket, in ${call},`;
  return asServer(where, told);
}

function handedOnSign(
  trace: Trace,
  thread: number,
  arrivals: readonly Arrival[],
): string | undefined {
  const told = answeredBy(trace, thread, arrivals);
  if (told === undefined || told.asleepShare < MOST_OF_TIME) return undefined;
  return asServer(
    `waits for a thread that takes requests from a socket, in ${mostOf(arrivals).call},`,
    told,
  );
}

/** The first of the kind that there are most of. */
function mostOf(waits: readonly Arrival[]): Arrival {
  const kinds = [...Map.groupBy(waits, ({ call }) => call).values()];
  return kinds.reduce((most, each) => (each.length > most.length ? each : most))[0];
}

function asServer(where: string, { share, answered }: Answered): string {
  return `${where} for ${share} of its time, and makes CUDA calls after ${plural(answered, 'such wait')}, as a server does (inferred)`;
}

interface Answered {
  /** Waits with a CUDA call before the next one. */
  readonly answered: number;
  readonly asleepShare: number;
  readonly share: string;
}

/** How much of its time `thread` was in these waits; `undefined` where too few have CUDA calls after them. */
function answeredBy(trace: Trace, thread: number, waits: readonly Arrival[]): Answered | undefined {
  const { durationNs } = trace.tables.cuda_call.columns;
  const calls = traceIndex(trace).rowsOf('cuda_call', thread);
  const last = calls.rows.length - 1;
  if (waits.length < ENOUGH_REQUESTS || last < 0) return undefined;
  const endNs = Math.max(
    calls.startsNs.nsAt(last) + durationNs[calls.rows[last]],
    waits[waits.length - 1].endNs,
  );
  const lengthNs = endNs - Math.min(calls.startsNs.nsAt(0), waits[0].startNs);
  const asleepNs = waits.reduce((sum, wait) => sum + wait.endNs - wait.startNs, 0);
  const answered = waits.filter(({ endNs: cameNs, isTimedOut }, at) => {
    if (isTimedOut) return false;
    const next = calls.startsNs.nsAt(calls.startsNs.lowerBound(cameNs));
    return next < (waits[at + 1]?.startNs ?? Infinity);
  }).length;
  if (answered < ENOUGH_REQUESTS) return undefined;
  return {
    answered,
    asleepShare: asleepNs / lengthNs,
    share: formatShare(asleepNs, lengthNs),
  };
}

/** Of a thread for each request there may be thousands: so many tell. */
const THREADS_ASKED = 100;

/** Most of the threads with CUDA calls began just after another one took a connection. */
function threadPerRequestSign(
  trace: Trace,
  calling: readonly number[],
  own: readonly number[],
): string | undefined {
  const asked = calling.slice(0, THREADS_ASKED);
  const started = asked.filter((thread) => {
    const { startNs } = trace.threads[thread];
    if (startNs === undefined) return false;
    return own.some(
      (other) => other !== thread && connectionBefore(trace, other, startNs) !== undefined,
    );
  });
  if (started.length < ENOUGH_REQUESTS || started.length < asked.length * MOST_OF_TIME)
    return undefined;
  return `makes its CUDA calls in ${plural(started.length, 'thread')} that each began as a request came in on a socket, as a server does (inferred)`;
}
