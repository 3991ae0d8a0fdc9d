import type { Trace } from '../shared/model/trace.ts';
import { type ThreadActivity, threadActivity } from './activity.ts';
import { type PeerGroup, peerGroup, peerKey } from './peers.ts';
import {
  type RowsByThread,
  rowsByThread,
  type ThreadSwitches,
  threadSwitches,
} from './thread-switches.ts';

/** What analyses look up again and again, each part built when first asked for and kept with the trace. */
export interface TraceIndex {
  /** Builds what every explanation needs, so that the first does not wait for it. */
  prepare(): void;
  activity(): ThreadActivity;
  /** The off-CPU rows of one thread. */
  switchesOf(thread: number): ThreadSwitches;
  /** The durations a call is compared with. */
  peersOf(call: number): PeerGroup;
}

const indexes = new WeakMap<Trace['tables'], TraceIndex>();

/** The index of `trace`; traces that share their tables share it. */
export function traceIndex(trace: Trace): TraceIndex {
  const known = indexes.get(trace.tables);
  if (known !== undefined) return known;
  const index = createIndex(trace);
  indexes.set(trace.tables, index);
  return index;
}

function createIndex(trace: Trace): TraceIndex {
  let activity: ThreadActivity | undefined;
  let byThread: RowsByThread | undefined;
  const switches = new Map<number, ThreadSwitches>();
  const peers = new Map<string, PeerGroup>();
  const { columns } = trace.tables.off_cpu;
  function sortedByThread(): RowsByThread {
    byThread ??= rowsByThread(columns.thread, trace.threads.length);
    return byThread;
  }
  function activityOf(): ThreadActivity {
    activity ??= threadActivity(trace);
    return activity;
  }
  return {
    prepare() {
      sortedByThread();
      activityOf();
    },
    activity: activityOf,
    switchesOf: (thread) =>
      remembered(switches, thread, () => threadSwitches(columns, sortedByThread(), thread)),
    peersOf: (call) => remembered(peers, peerKey(trace, call), () => peerGroup(trace, call)),
  };
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
