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
 * The steps that have room side by side on `widthPx`, in order of time: of those that share a place the
 * longest, so that what is slow is always there. It takes the place of all of them: nothing looks empty that is not.
 */
export function shownSteps<Step extends Stretch>(
  steps: readonly Step[],
  widthPx: number,
): StepPlace<Step>[] {
  const room = Math.min(MOST_BARS, Math.max(1, Math.floor(widthPx / MIN_BAR_PX)));
  const each = Math.max(1, Math.ceil(steps.length / room));
  const shown: StepPlace<Step>[] = [];
  for (let from = 0; from < steps.length; from += each) {
    const group = steps.slice(from, from + each);
    const step = group.reduce((most, one) =>
      one.endNs - one.startNs > most.endNs - most.startNs ? one : most,
    );
    const { startNs } = group[0] ?? step;
    const { endNs } = group.at(-1) ?? step;
    shown.push({ step, startNs, endNs, count: group.length });
  }
  return shown;
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
