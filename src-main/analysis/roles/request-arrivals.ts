import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { hostOfThread } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { traceIndex } from '../index/trace-index.ts';
import { HANDED_ON_WITHIN_NS } from '../jobs/handed-on.ts';
import type { ProcessTree } from '../jobs/process-tree.ts';

/** What tells that a wait was for a request; `epoll`: it may have been for an answer of somebody too. */
type ArrivalKind = 'connection' | 'epoll' | 'handed-on';

/** A wait of a thread that a request ended. */
export interface Arrival {
  readonly kind: ArrivalKind;
  readonly startNs: number;
  readonly endNs: number;
  /** The system call in which the request was waited for, by this thread or the one that handed it on. */
  readonly call: string;
}

const ACCEPTS = /^accept4?$/;
/** Servers wait for requests of all their clients by these; a DataLoader's queue is waited for by poll or a futex. */
const EPOLLS = /^(epoll_(p)?wait2?|epoll_wait_old)$/;
const READY_OR_DATA = /^(poll|ppoll|select|pselect6|readv?|recv(from|msg|mmsg))$/;
const LOCKS = /^futex/;
/** The agent's word for a socket that a client opened. */
const FROM_CLIENT = /^socket from /;

/** The waits of `thread` of `process` that a request ended, in order of time. */
export function arrivalsOf(
  trace: Trace,
  thread: number,
  process: number,
  tree: ProcessTree,
): readonly Arrival[] {
  const { durationNs, syscall, waker } = trace.tables.off_cpu.columns;
  if (syscall === undefined) return [];
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  const found: Arrival[] = [];
  rows.forEach((row, at) => {
    const span = { startNs: startsNs[at], endNs: startsNs[at] + durationNs[row] };
    const call = callOf(trace, row);
    if (call === undefined) return;
    const by = waker?.[row] ?? NONE;
    if (LOCKS.test(call)) {
      const isHelper = by !== thread && trace.threads[by]?.process === process;
      const taken = isHelper ? connectionBefore(trace, by, span.endNs) : undefined;
      if (taken !== undefined) found.push({ ...span, kind: 'handed-on', call: taken });
      return;
    }
    const kind = kindOf(trace, row, call);
    const isOwn = descendsFrom(tree, trace.threads[by]?.process ?? NONE, process);
    if (kind !== undefined && !isOwn) found.push({ ...span, kind, call });
  });
  return found;
}

/** The call in which `thread` took a connection or its data, within 20 ms before `atNs`. */
export function connectionBefore(trace: Trace, thread: number, atNs: number): string | undefined {
  const { rows, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  for (let at = upperBound(latestEndsNs, atNs) - 1; at >= 0; at--) {
    if (atNs - latestEndsNs[at] > HANDED_ON_WITHIN_NS) return undefined;
    const call = callOf(trace, rows[at]);
    if (call !== undefined && kindOf(trace, rows[at], call) === 'connection') return call;
  }
  return undefined;
}

/**
 * What a wait in `call` was for, by the socket: one that a client opened, or one of a network without another
 * end, which waits for connections. A socket that this process opened itself brings answers.
 */
function kindOf(trace: Trace, row: number, call: string): 'connection' | 'epoll' | undefined {
  if (ACCEPTS.test(call)) return 'connection';
  if (EPOLLS.test(call)) return 'epoll';
  if (!READY_OR_DATA.test(call)) return undefined;
  const { file, wakerContext } = trace.tables.off_cpu.columns;
  const name = trace.names[file?.[row] ?? NONE] ?? '';
  if (FROM_CLIENT.test(name)) return 'connection';
  // Sockets of one machine are fed by a task, those of a network by the network's own softirq.
  const isOfNetwork = wakerContext?.[row] === codeOf(wakeContexts, 'softirq');
  return name === 'socket' && isOfNetwork ? 'connection' : undefined;
}

function descendsFrom({ parents }: ProcessTree, process: number, above: number): boolean {
  for (let at = process; at !== NONE; at = parents[at] ?? NONE) if (at === above) return true;
  return false;
}

function callOf(trace: Trace, row: number): string | undefined {
  const { syscall, thread } = trace.tables.off_cpu.columns;
  const number = syscall?.[row] ?? NONE;
  return number < 0 ? undefined : syscallName(number, hostOfThread(trace, thread[row]));
}
