interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
}

/** A bar of the picture: a step, and the stretch of the axis that it stands on. */
export interface StepPlace<Step extends Stretch> extends Stretch {
  readonly step: Step;
  /** How many steps it stands for, itself among them. */
  readonly count: number;
}

/** Narrower bars can't be told apart, nor hit. */
const MIN_BAR_PX = 4;
const MOST_BARS = 400;

/**
 * The steps that have room side by side on `widthPx` for `lengthNs`, in order of time: of those that share a place the
 * longest, so that what is slow is always there. It takes the place of all of them: nothing looks empty that is not.
 */
export function shownSteps<Step extends Stretch>(
  steps: readonly Step[],
  widthPx: number,
  lengthNs: number,
): StepPlace<Step>[] {
  const leastNs = lengthNs * Math.max(MIN_BAR_PX / Math.max(1, widthPx), 1 / MOST_BARS);
  const groups: Step[][] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    const from = group?.[0];
    if (group === undefined || from === undefined || step.startNs - from.startNs >= leastNs)
      groups.push([step]);
    else group.push(step);
  }
  joinNarrowEnd(groups, leastNs);
  return groups.map(placeOf);
}

/** After the last bar nothing makes room: where it is too narrow, it shares the place of the one before it. */
function joinNarrowEnd<Step extends Stretch>(groups: Step[][], leastNs: number): void {
  const last = groups.at(-1);
  const before = groups.at(-2);
  if (last === undefined || before === undefined) return;
  const { startNs, endNs } = stretchOf(last);
  if (endNs - startNs >= leastNs) return;
  before.push(...last);
  groups.pop();
}

function stretchOf(group: readonly Stretch[]): Stretch {
  return { startNs: group[0]?.startNs ?? 0, endNs: group.at(-1)?.endNs ?? 0 };
}

function placeOf<Step extends Stretch>(group: readonly Step[]): StepPlace<Step> {
  const step = group.reduce((most, one) =>
    one.endNs - one.startNs > most.endNs - most.startNs ? one : most,
  );
  return { step, ...stretchOf(group), count: group.length };
}

/** The bar at a moment, else the nearest: bars of a few pixels are hard to hit. */
export function placeAt<Place extends Stretch>(
  places: readonly Place[],
  ns: number,
): Place | undefined {
  const distance = ({ startNs, endNs }: Stretch) => Math.max(0, startNs - ns, ns - endNs);
  return places.reduce<Place | undefined>(
    (nearest, place) =>
      nearest === undefined || distance(place) < distance(nearest) ? place : nearest,
    undefined,
  );
}
