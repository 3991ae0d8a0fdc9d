import { type HostKind, hostKinds } from '../../shared/answers/host-time.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { placeText } from '../stacks/place-text.ts';
import { blockedOn } from '../threads/blocked-on.ts';
import type { HostTime } from './host-time.ts';

/** What the training thread did in one function, or in none that is known, of one kind. */
export interface HostWork {
  readonly kind: HostKind;
  /** `save_model (train.py:51)`, the line with most of it; undefined where no stack tells. */
  readonly place: string | undefined;
  readonly ns: number;
  /** Of it, on a CPU. */
  readonly ranNs: number;
  /** Of it, where its own stack or system call says the kind. */
  readonly sureNs: number;
  /** Indices into the evidence, in order of time. */
  readonly at: readonly number[];
}

/** The other time of the training thread by kind and function, most first. */
export function hostWorks({ stacks }: Trace, { evidence }: HostTime): HostWork[] {
  const groups = new Map<number, number[]>();
  for (let at = 0; at < evidence.length; at++) {
    const key = (evidence.func[at] + 1) * hostKinds.length + evidence.kind[at];
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(at);
  }
  return [...groups.values()]
    .map((group) => workOf(stacks, evidence, group))
    .sort((a, b) => b.ns - a.ns);
}

/** Several works as one, at the place with most of it. */
export function joinedWork(works: readonly HostWork[]): HostWork | undefined {
  const [most] = works;
  if (most === undefined) return undefined;
  const sum = (of: (work: HostWork) => number) =>
    works.reduce((total, work) => total + of(work), 0);
  const { kind } = most;
  const { place } = works.find((work) => work.place !== undefined) ?? most;
  const at = works.flatMap((work) => work.at).sort((a, b) => a - b);
  return {
    ...{ kind, place, at },
    ns: sum(({ ns }) => ns),
    ranNs: sum(({ ranNs }) => ranNs),
    sureNs: sum(({ sureNs }) => sureNs),
  };
}

function workOf(
  stacks: Trace['stacks'],
  { kind, place, ns, isSample, isOwn }: HostTime['evidence'],
  at: readonly number[],
): HostWork {
  const lines = new Map<number, number>();
  let [allNs, ranNs, sureNs] = [0, 0, 0];
  for (const each of at) {
    allNs += ns[each];
    if (isSample[each] === 1) ranNs += ns[each];
    if (isOwn[each] === 1) sureNs += ns[each];
    const frame = place[each] === NONE ? NONE : stacks.frame[place[each]];
    lines.set(frame, (lines.get(frame) ?? 0) + ns[each]);
  }
  const line = [...lines].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
  return {
    kind: hostKinds[kind[at[0]]],
    place: line === NONE ? undefined : placeText(stacks, line),
    ...{ ns: allNs, ranNs, sureNs, at },
  };
}

/** Those of `at` that are waits: the others are samples. */
export function waitsAmong(
  { evidence }: Pick<HostTime, 'evidence'>,
  at: readonly number[],
): number[] {
  return at.filter((each) => evidence.isSample[each] === 0);
}

/** What the waits among `at` were for, most first: rows of off_cpu. */
export function waitsOf(
  trace: Trace,
  { evidence }: HostTime,
  at: readonly number[],
): readonly { readonly text: string; readonly ns: number; readonly rows: readonly number[] }[] {
  const waits = new Map<string, { readonly text: string; ns: number; readonly rows: number[] }>();
  for (const each of waitsAmong({ evidence }, at)) {
    const row = evidence.row[each];
    const { text } = blockedOn(trace, row);
    const wait = waits.get(text) ?? { text, ns: 0, rows: [] };
    waits.set(text, wait);
    wait.ns += evidence.ns[each];
    wait.rows.push(row);
  }
  return [...waits.values()].sort((a, b) => b.ns - a.ns);
}
