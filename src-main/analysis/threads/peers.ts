import type { PartDetail } from '../../shared/answers/explanation.ts';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { hostIndexOf } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import { READY_OR_DATA } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { perTrace } from '../index/per-trace.ts';
import { processName } from '../jobs/thread-label.ts';
import { blockedOn, callOf } from './blocked-on.ts';
import { isStoppedAfter } from './stops.ts';

/** Who is at the other end of what a thread waited on. */
export interface Peer {
  /** The same for all waits on one peer. */
  readonly key: string;
  /** Index into processes; -1 = it is on another machine, or not in the trace. */
  readonly process: number;
  /** `10.0.0.2:6379`; absent = it is no socket of a network. */
  readonly address?: string;
  /** `redis-server (pid 311) at 127.0.0.1:6379`: the traced machine’s own text, uncut. */
  readonly text: string;
}

/** What has another end. */
const HAS_PEER: ReadonlySet<PartDetail> = new Set(['pipe', 'socket', 'poll', 'lock', 'process']);

/** What the agent writes of a socket: its other end, and the process where that is on its machine. */
const SOCKET = /^socket (?:to|from) (.+?)(?: \((.*), pid (\d+)\))?$/;

/**
 * The other end of the pipe or socket that row `row` of off_cpu waited on: who fed or emptied it, the server that it
 * asked. Of a lock that processes share who let go of it; of the opening of a file who was asked whether it may be; of a
 * socket that names no other end, the network. `undefined` where it was none of these, or where the other end is not known.
 */
export function peerOf(trace: Trace, row: number): Peer | undefined {
  if (!HAS_PEER.has(blockedOn(trace, row).detail)) return undefined;
  return ofSocket(trace, row) ?? ofWaker(trace, row) ?? ofNetwork(trace, row);
}

const NETWORK: Peer = { key: 'network', process: NONE, text: 'an answer from the network' };

/** A socket that names no other end, as those of UDP: what the network brought ended the wait for it. */
function ofNetwork(trace: Trace, row: number): Peer | undefined {
  const { file, wakerContext } = trace.tables.off_cpu.columns;
  if (wakerContext?.[row] !== codeOf(wakeContexts, 'softirq')) return undefined;
  if (trace.names[file?.[row] ?? NONE] !== 'socket') return undefined;
  return READY_OR_DATA.test(callOf(trace, row) ?? '') ? NETWORK : undefined;
}

function ofSocket(trace: Trace, row: number): Peer | undefined {
  const { file, thread } = trace.tables.off_cpu.columns;
  const found = SOCKET.exec(trace.names[file?.[row] ?? NONE] ?? '');
  if (found?.[1] === undefined) return undefined;
  const address = cleanText(found[1]);
  const pid = Number(found[3] ?? NONE);
  const host = hostIndexOf(trace, thread[row]);
  const process = pid < 0 ? NONE : processWith(trace, pid, host, row);
  const name = cleanText(found[2] ?? '');
  const text = pid < 0 ? address : `${name} (pid ${pid}) at ${address}`;
  return { key: `${host} ${address}`, process, address, text };
}

/** The process that had that number when the wait was over; -1 = it is not in the trace. */
function processWith(trace: Trace, pid: number, host: number, row: number): number {
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  const atNs = startNs[row] + durationNs[row];
  const had = (processesByPid(trace).get(pid) ?? []).find((process) => {
    const info = trace.processes[process];
    return (
      (info.host ?? 0) === host &&
      (info.startNs ?? 0) <= atNs &&
      (info.endNs ?? Number.POSITIVE_INFINITY) >= startNs[row]
    );
  });
  return had ?? NONE;
}

const processesByPid = perTrace(({ processes }) =>
  Map.groupBy(processes.keys(), (process) => processes[process].pid),
);

function ofWaker(trace: Trace, row: number): Peer | undefined {
  const { thread, waker, wakerContext } = trace.tables.off_cpu.columns;
  if (wakerContext?.[row] !== codeOf(wakeContexts, 'task')) return undefined;
  // Who stops a thread wakes it first: that ends no wait for it.
  if (isStoppedAfter(trace, row)) return undefined;
  const process = trace.threads[waker?.[row] ?? NONE]?.process ?? NONE;
  const info = trace.processes[process];
  if (info === undefined || info.role === 'kernel') return undefined;
  if (process === trace.threads[thread[row]]?.process) return undefined;
  const name = processName(trace, process);
  const text = name === `pid ${info.pid}` ? name : `${name} (pid ${info.pid})`;
  return { key: `process ${process}`, process, text };
}
