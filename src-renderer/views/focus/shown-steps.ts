interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
}

/** Narrower bars can't be told apart, nor hit. */
const MIN_BAR_PX = 4;
const MOST_BARS = 400;

/**
 * The steps that have room side by side on `widthPx`, in order of time: of those that share a place the
 * longest, so that what is slow is always there.
 */
export function shownSteps<Step extends Stretch>(steps: readonly Step[], widthPx: number): Step[] {
  const room = Math.min(MOST_BARS, Math.max(1, Math.floor(widthPx / MIN_BAR_PX)));
  if (steps.length <= room) return [...steps];
  const each = Math.ceil(steps.length / room);
  const shown: Step[] = [];
  for (let from = 0; from < steps.length; from += each) {
    const group = steps.slice(from, from + each);
    shown.push(
      group.reduce((most, step) =>
        step.endNs - step.startNs > most.endNs - most.startNs ? step : most,
      ),
    );
  }
  return shown;
}
