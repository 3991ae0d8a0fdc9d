import type { Finding } from '../../../src-main/shared/answers/diagnosis.ts';
import type { ThreadLabel } from '../../../src-main/shared/answers/jobs.ts';
import type { RanWithin, StretchExplanation } from '../../../src-main/shared/answers/stretch.ts';
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

/**
 * Each thread of a chain with each of its states, most first. What ran mostly within the function that `cause` blames is said
 * to have run that: the two stand beside each other, and have one name for one thing.
 */
export function whoDid(
  { sums, ranWithin }: Pick<StretchExplanation, 'sums' | 'ranWithin'>,
  cause?: Blaming,
): WhoDid[] {
  const found = new Map<string, WhoDid>();
  for (const { thread, state, reason, ns } of sums) {
    const key = `${thread.thread} ${state}`;
    const before = found.get(key) ?? { thread, state, reason, ns: 0 };
    found.set(key, { ...before, ns: before.ns + ns });
  }
  const saidOf = (one: WhoDid): WhoDid => {
    const within = ranWithin.find(({ thread }) => thread === one.thread.thread);
    const place = one.state === 'running' ? placeOfCause(cause, within) : undefined;
    return place === undefined ? one : { ...one, reason: `ran ${place}` };
  };
  return [...found.values()].sort((a, b) => b.ns - a.ns).map(saidOf);
}

/** What is told of a finding where it says what it blames. */
type Blaming = Pick<Finding, 'title' | 'sentence' | 'culprit'>;

/** `save_model (train.py:51)`, as the finding says it: where its culprit is a function that most of what ran was in. */
function placeOfCause(cause: Blaming | undefined, ran: RanWithin | undefined): string | undefined {
  if (cause?.culprit === undefined) return undefined;
  const said = `${cause.title} ${cause.sentence}`;
  for (const { name, file } of ran?.functions ?? []) {
    const at = name === cause.culprit ? said.indexOf(`${name} (${file}`) : -1;
    if (at >= 0) return said.slice(at, said.indexOf(')', at) + 1);
  }
  return undefined;
}

/** Who had the CPUs that the threads of a chain waited for, most first. */
export function ranInstead({ sums }: Pick<WaitChain, 'sums'>): RanInstead[] {
  const all = new Map<number, RanInstead>();
  for (const { ran } of sums) for (const one of ran ?? []) addRan(all, one);
  return [...all.values()].sort((a, b) => b.ns - a.ns);
}
