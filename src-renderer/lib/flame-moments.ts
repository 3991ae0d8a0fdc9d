import type { FlameTree } from '../../src-main/shared/answers/flame.ts';
import { upperBoundBy } from '../../src-main/shared/numbers/bisect.ts';
import { timeTicks } from '../../src-main/timeline/view/time-ticks.ts';

/** A mark above a graph in order of time: CSS px from its left. */
export interface MomentTick {
  readonly x: number;
  readonly label: string;
}

/** Marks closer than this would stand on each other's labels, CSS px. */
const SPACING = 76;
/** Where more than this share of the weight was cut, what is left stands too far to the left. */
const MOST_CUT = 0.01;

type Moments = NonNullable<FlameTree['moments']>;

/** The value of the second of two columns where the first one is `at`; straight between two rows. */
function between(moments: Moments, from: 0 | 1, at: number): number {
  const to = from === 0 ? 1 : 0;
  const next = upperBoundBy(moments, at, (moment) => moment[from]);
  const before = moments[Math.max(0, next - 1)] as Moments[number];
  const after = moments[Math.min(next, moments.length - 1)] as Moments[number];
  const length = after[from] - before[from];
  const part = length <= 0 ? 0 : Math.min(1, Math.max(0, (at - before[from]) / length));
  return before[to] + part * (after[to] - before[to]);
}

/** Whether what stands where in a graph tells when it was. */
export function tellsMoments({ moments = [], cutWeight, totalWeight }: FlameTree): boolean {
  return moments.length > 1 && totalWeight > 0 && cutWeight <= MOST_CUT * totalWeight;
}

/** The marks above the part of a graph that is in view, `width` px wide. Widths are weights: the marks stand where time went. */
export function momentTicks(
  { moments = [], totalWeight }: FlameTree,
  view: { readonly left: number; readonly right: number },
  width: number,
): MomentTick[] {
  const [startNs, endNs] = [view.left, view.right].map((share) =>
    between(moments, 0, share * totalWeight),
  ) as [number, number];
  if (width <= 0 || endNs <= startNs) return [];
  const ticks: MomentTick[] = [];
  for (const { ns, label } of timeTicks({ startNs, endNs }, width, SPACING).ticks) {
    const share = between(moments, 1, ns) / totalWeight;
    const x = ((share - view.left) / (view.right - view.left)) * width;
    const last = ticks.at(-1);
    if (x >= 0 && x <= width && (last === undefined || x - last.x >= SPACING))
      ticks.push({ x, label });
  }
  return ticks;
}
