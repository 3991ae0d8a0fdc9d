import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { hostOfThread } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import { READY_OR_DATA, syscallName } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { HANDED_ON_WITHIN_NS } from '../jobs/handed-on.ts';
import { descendsFrom, type ProcessTree } from '../jobs/process-tree.ts';

/** What tells that a wait was for a request; `epoll`: it may have been for an answer of somebody too. */
type ArrivalKind = 'connection' | 'epoll' | 'handed-on';

/** A wait of a thread for a request. */
export interface Arrival {
  readonly kind: ArrivalKind;
  /** No request came until its time was up. */
  readonly isTimedOut: boolean;
  readonly startNs: number;
  readonly endNs: number;
  /** The system call in which the request was waited for, by this thread or the one that handed it on. */
  readonly call: string;
}

const ACCEPTS = /^accept4?$/;
/** Servers wait for requests of all their clients by these; a DataLoader's queue is waited for by poll or a futex. */
const EPOLLS = /^(epoll_(p)?wait2?|epoll_wait_old)$/;
const POLLS = /^(poll|ppoll|select|pselect6)$/;
const LOCKS = /^futex/;
/** The agent's word for a socket that a client opened, where it can tell by the ports. */
const FROM_CLIENT = /^socket from /;
const OTHER_PORT = /^socket to .*?(?::|, port )(\d+)(?: \(|$)/;
/** Linux gives these to who connects: include/net/ip.h, net/ipv4/af_inet.c. */
const FIRST_GIVEN_PORT = 32_768;

/** The waits of `thread` of `process` for requests, in order of time. */
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
    const span = { startNs: startsNs.nsAt(at), endNs: startsNs.nsAt(at) + durationNs[row] };
    const call = callOf(trace, row);
    if (call === undefined) return;
    const by = waker?.[row] ?? NONE;
    if (LOCKS.test(call)) {
      const isHelper = by !== thread && trace.threads[by]?.process === process;
      const taken = isHelper ? connectionBefore(trace, by, span.endNs) : undefined;
      if (taken !== undefined)
        found.push({ ...span, kind: 'handed-on', isTimedOut: false, call: taken });
      return;
    }
    const kind = kindOf(trace, row, call);
    const isOwn = descendsFrom(tree, trace.threads[by]?.process ?? NONE, process);
    if (kind !== undefined && !isOwn)
      found.push({ ...span, kind, isTimedOut: isTimedOut(trace, row), call });
  });
  return found;
}

/** The call in which `thread` took a connection or its data, within 20 ms before `atNs`. */
export function connectionBefore(trace: Trace, thread: number, atNs: number): string | undefined {
  const { rows, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  for (let at = latestEndsNs.upperBound(atNs) - 1; at >= 0; at--) {
    if (atNs - latestEndsNs.nsAt(at) > HANDED_ON_WITHIN_NS) return undefined;
    const call = callOf(trace, rows[at]);
    if (call === undefined || isTimedOut(trace, rows[at])) continue;
    if (kindOf(trace, rows[at], call) === 'connection') return call;
  }
  return undefined;
}

/**
 * What a wait in `call` was for, by the socket: one that a client opened, or one that waits for connections. A
 * socket that this process opened itself brings answers.
 */
function kindOf(trace: Trace, row: number, call: string): 'connection' | 'epoll' | undefined {
  if (ACCEPTS.test(call) || isListening(trace, row, call)) return 'connection';
  if (EPOLLS.test(call)) return 'epoll';
  const { file, thread } = trace.tables.off_cpu.columns;
  if (!READY_OR_DATA.test(call)) return undefined;
  const name = trace.names[file?.[row] ?? NONE] ?? '';
  if (FROM_CLIENT.test(name)) return 'connection';
  const isClient = Number(OTHER_PORT.exec(name)?.[1] ?? 0) >= FIRST_GIVEN_PORT;
  const process = trace.threads[thread[row]]?.process ?? NONE;
  return isClient && listeners(trace).has(process) ? 'connection' : undefined;
}

/** Where both ends have a port that Linux gave, the one that waits for connections is the server. */
const listeners = perTrace((trace): ReadonlySet<number> => {
  const { thread } = trace.tables.off_cpu.columns;
  const found = new Set<number>();
  thread.forEach((at, row) => {
    const process = trace.threads[at]?.process ?? NONE;
    if (found.has(process)) return;
    const call = callOf(trace, row);
    if (call !== undefined && isListening(trace, row, call)) found.add(process);
  });
  return found;
});

/** Whether it waits for a socket of a network that has no other end. */
function isListening(trace: Trace, row: number, call: string): boolean {
  if (!POLLS.test(call) && !ACCEPTS.test(call)) return false;
  const { file, wakerContext } = trace.tables.off_cpu.columns;
  // Sockets of one machine are fed by a task, those of a network by the network's own softirq.
  const isOfNetwork = wakerContext?.[row] === codeOf(wakeContexts, 'softirq');
  return trace.names[file?.[row] ?? NONE] === 'socket' && (isOfNetwork || isTimedOut(trace, row));
}

function isTimedOut({ tables }: Trace, row: number): boolean {
  return tables.off_cpu.columns.wakerContext?.[row] === codeOf(wakeContexts, 'timer');
}

function callOf(trace: Trace, row: number): string | undefined {
  const { syscall, thread } = trace.tables.off_cpu.columns;
  const number = syscall?.[row] ?? NONE;
  return number < 0 ? undefined : syscallName(number, hostOfThread(trace, thread[row]));
}
