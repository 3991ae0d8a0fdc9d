import type { ThreadLabel } from '../../../src-main/shared/answers/jobs.ts';
import {
  addRan,
  type RanInstead,
  type WaitChain,
} from '../../../src-main/shared/answers/wait-chain.ts';
import type { ThreadState } from '../../../src-main/shared/model/thread-state.ts';

/** The time of a wait chain by what the threads that mattered were doing, most first; it sums to the chain. */
export function chainParts({
  sums,
}: Pick<WaitChain, 'sums'>): { readonly state: ThreadState; readonly ns: number }[] {
  const parts = new Map<ThreadState, number>();
  for (const { state, ns } of sums) parts.set(state, (parts.get(state) ?? 0) + ns);
  return [...parts].map(([state, ns]) => ({ state, ns })).sort((a, b) => b.ns - a.ns);
}

/**
 * Whether a thread of a moment is told beside its cause. What the kernel and the recorder did is so only where the cause is
 * them: `about` is all that its finding says. Without a cause all are told, but the recorder, which must not look like one.
 */
export function isOfCause({ relation, name }: ThreadLabel, about: string | undefined): boolean {
  if (relation === 'recorder') return about?.includes('recorder') === true;
  if (about === undefined) return true;
  return relation !== 'kernel' || about.includes(name);
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

/** Who had the CPUs that the threads of a chain waited for, most first. */
export function ranInstead({ sums }: Pick<WaitChain, 'sums'>): RanInstead[] {
  const all = new Map<number, RanInstead>();
  for (const { ran } of sums) for (const one of ran ?? []) addRan(all, one);
  return [...all.values()].sort((a, b) => b.ns - a.ns);
}
