import type { ThreadLabel } from '../../../src-main/shared/answers/jobs.ts';
import type { WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { ThreadState } from '../../../src-main/shared/model/thread-state.ts';

/** The time of a wait chain by what the threads that mattered were doing, most first; it sums to the chain. */
export function chainParts({
  segments,
}: Pick<WaitChain, 'segments'>): { readonly state: ThreadState; readonly ns: number }[] {
  const sums = new Map<ThreadState, number>();
  for (const { state, startNs, endNs } of segments)
    sums.set(state, (sums.get(state) ?? 0) + endNs - startNs);
  return [...sums].map(([state, ns]) => ({ state, ns })).sort((a, b) => b.ns - a.ns);
}

interface WhoDid {
  readonly thread: ThreadLabel;
  readonly state: ThreadState;
  /** Of its longest sum. */
  readonly reason: string;
  readonly ns: number;
}

/** Each thread of a chain with each of its states, most first. */
export function whoDid({ sums }: Pick<WaitChain, 'sums'>): WhoDid[] {
  const found = new Map<string, WhoDid>();
  for (const { thread, state, reason, ns } of sums) {
    const key = `${thread.thread} ${state}`;
    const before = found.get(key) ?? { thread, state, reason, ns: 0 };
    found.set(key, { ...before, ns: before.ns + ns });
  }
  return [...found.values()].sort((a, b) => b.ns - a.ns);
}

interface RanInstead {
  readonly thread: ThreadLabel;
  readonly ns: number;
  /** A wait during which it ran. */
  readonly event: EventRef | undefined;
}

/** Who had the CPUs that the threads of a chain waited for, most first. */
export function ranInstead({ segments }: Pick<WaitChain, 'segments'>): RanInstead[] {
  const sums = new Map<number, RanInstead>();
  for (const { ran, event } of segments)
    for (const { thread, ns } of ran ?? []) {
      const sum = sums.get(thread.thread) ?? { thread, ns: 0, event };
      sums.set(thread.thread, { ...sum, ns: sum.ns + ns });
    }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}
