import type { FlameFrame } from '../shared/answers/flame.ts';
import {
  type FlameDifference,
  type FlameSide,
  type FunctionDifference,
  MAX_CHANGED_FUNCTIONS,
  type RunFlame,
} from '../shared/answers/flame-difference.ts';
import { formatDuration, formatShare } from '../shared/text/units.ts';
import { flameKeys } from './flame-keys.ts';
import { type Merged, mergeFlames, type Side } from './merge-flames.ts';

/** A change of samples by less than so many of its standard deviations may be chance (Poisson). */
const SURE_DEVIATIONS = 3;
/** A share of the weight is told of from this on. Our own choice. */
const TOLD_SHARE = 0.02;

/** The stacks of two runs in one tree: where a step of the second spends more, and where less. Of one weight. */
export function flameDifference(first: RunFlame, second: RunFlame): FlameDifference {
  const isPerStep = first.steps !== undefined && second.steps !== undefined;
  const isTime = first.everyNs !== undefined && second.everyNs !== undefined;
  const unit = first.tree.unit === 'samples' && isTime ? 'ns' : first.tree.unit;
  const keys = flameKeys(first.tree.frames, second.tree.frames);
  const scaleOf = ({ steps, lengthNs, everyNs = 1, tree }: RunFlame) =>
    (tree.unit !== unit ? everyNs : 1) /
    (isPerStep ? Math.max(1, steps ?? 1) : Math.max(1, lengthNs) / 1e9);
  const sides = [
    { flame: first, keys: keys[0], scale: scaleOf(first) },
    { flame: second, keys: keys[1], scale: scaleOf(second) },
  ] as const;
  const { frames, merged } = mergeFlames(sides);
  const [one, other] = merged.sides.map(({ total, self }, at): FlameSide => {
    const { flame, scale } = sides[at] as Side;
    return { total, self, whole: flame.tree.totalWeight * scale };
  }) as [FlameSide, FlameSide];
  const mean = (a: readonly number[], b: readonly number[]) =>
    a.map((v, at) => (v + (b[at] ?? 0)) / 2);
  const mayBeChance = merged.parent.map((_, node) => (isByChance(sides, merged, node) ? 1 : 0));
  return {
    per: isPerStep ? 'step' : 'second',
    tree: {
      ...{ weight: first.tree.weight, unit, frames },
      ...{ parent: merged.parent, frame: merged.frame, count: merged.count },
      total: mean(one.total, other.total),
      self: mean(one.self, other.self),
      totalWeight: (one.whole + other.whole) / 2,
      withoutStack: { events: 0, weight: 0 },
      cutWeight: 0,
    },
    first: one,
    second: other,
    mayBeChance,
    functions: changedFunctions(sides, frames, merged),
    notes: notesOf(first, second, isPerStep),
  };
}

/** Whether two counts of samples differ by no more than they do between two recordings of one job. */
function isByChance(sides: readonly [Side, Side], { sides: [one, other] }: Merged, node: number) {
  if (sides[0].flame.tree.weight !== 'cpu-samples') return false;
  return isWithinChance(sides, one.count[node] ?? 0, other.count[node] ?? 0);
}

function isWithinChance([first, second]: readonly [Side, Side], was: number, is: number): boolean {
  const change = is * second.scale - was * first.scale;
  const variance = is * second.scale ** 2 + was * first.scale ** 2;
  return Math.abs(change) < SURE_DEVIATIONS * Math.sqrt(variance);
}

function changedFunctions(
  sides: readonly [Side, Side],
  frames: readonly FlameFrame[],
  { parent, frame, sides: [one, other] }: Merged,
): FunctionDifference[] {
  const rows = frames.map((_, at) => ({
    frame: at,
    first: 0,
    second: 0,
    under: new Map<number, number>(),
  }));
  const callers = callersOf(frames, parent, frame);
  parent.forEach((_, node) => {
    const row = rows[frame[node] ?? 0];
    const [was, is] = [one.self[node] ?? 0, other.self[node] ?? 0];
    if (row === undefined || (was === 0 && is === 0)) return;
    row.first += was;
    row.second += is;
    const under = callers[node] ?? -1;
    if (under >= 0) row.under.set(under, (row.under.get(under) ?? 0) + is - was);
  });
  const isSampled = sides[0].flame.tree.weight === 'cpu-samples';
  return rows
    .filter(({ first, second }) => first > 0 || second > 0)
    .sort((a, b) => Math.abs(b.second - b.first) - Math.abs(a.second - a.first))
    .slice(0, MAX_CHANGED_FUNCTIONS)
    .map(({ frame: at, first, second, under }) => ({
      ...{ frame: at, first, second },
      ...underOf(under, second - first),
      mayBeChance:
        isSampled && isWithinChance(sides, first / sides[0].scale, second / sides[1].scale),
    }));
}

/** By node that is no Python, the nearest Python function above it, else the one right above; -1 = neither. */
function callersOf(
  frames: readonly FlameFrame[],
  parent: readonly number[],
  frame: readonly number[],
): number[] {
  const isPython = (node: number) => frames[frame[node] ?? -1]?.language === 'python';
  const nearest: number[] = [];
  return parent.map((above, node) => {
    nearest[node] = isPython(node) ? (frame[node] ?? -1) : (nearest[above] ?? -1);
    if (isPython(node) || above < 0) return -1;
    return (nearest[above] ?? -1) >= 0 ? (nearest[above] ?? -1) : (frame[above] ?? -1);
  });
}

/** The function below which most of the change lies. */
function underOf(changes: ReadonlyMap<number, number>, change: number): { under?: number } {
  const sign = change < 0 ? -1 : 1;
  const [most] = [...changes].sort((a, b) => sign * (b[1] - a[1]));
  return most === undefined ? {} : { under: most[0] };
}

function notesOf(first: RunFlame, second: RunFlame, isPerStep: boolean): string[] {
  const notes: string[] = [];
  if (!isPerStep)
    notes.push(
      'At least one run has no steps to compare, so both are compared per second of recording. A job that does more each second shows more of everything.',
    );
  if (first.tree.unit === 'samples') notes.push(...samplingNotes(first, second));
  for (const [which, run] of [
    ['first', first],
    ['second', second],
  ] as const) {
    const { withoutStack, totalWeight, cutWeight } = run.tree;
    const all = totalWeight + withoutStack.weight;
    if (withoutStack.weight > TOLD_SHARE * all)
      notes.push(
        `${formatShare(withoutStack.weight, all)} of the ${which} run has no stack and is not compared.`,
      );
    if (cutWeight > TOLD_SHARE * totalWeight)
      notes.push(
        `${formatShare(cutWeight, totalWeight)} of the ${which} run is in stacks too small to be compared.`,
      );
  }
  for (const [language, words] of Object.entries(kinds)) {
    const [was, is] = [first.tree, second.tree].map(({ frames }) =>
      frames.some((frame) => frame.language === language),
    );
    if (was !== is)
      notes.push(
        `Only the ${was ? 'first' : 'second'} run has ${words}. Where the other was recorded without them, this is not a real change.`,
      );
  }
  return notes;
}

const kinds: Readonly<Record<Exclude<FlameFrame['language'], 'role'>, string>> = {
  python: 'Python functions',
  native: 'native functions',
  gpu: 'GPU work',
};

function samplingNotes({ everyNs: was }: RunFlame, { everyNs: is }: RunFlame): string[] {
  if (was === undefined || is === undefined)
    return [
      'Of at least one run it is not known how often it was sampled: the numbers of samples are compared as they are.',
    ];
  return was === is
    ? []
    : [
        `Samples were taken every ${formatDuration(was)} and every ${formatDuration(is)}: they are compared as time.`,
      ];
}
