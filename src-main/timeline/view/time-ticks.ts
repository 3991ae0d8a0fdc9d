import { tickStep } from 'd3-array';
import { formatDuration, formatMoment, NARROW_NO_BREAK_SPACE } from '../../shared/text/units.ts';
import type { TimeWindow } from '../model/time-window.ts';

interface TimeTick {
  readonly ns: number;
  readonly label: string;
}

export interface TimeTicks {
  readonly ticks: readonly TimeTick[];
  readonly stepNs: number;
  /** The moment from which the labels count, where they are too long to be absolute. */
  readonly baseNs: number | undefined;
}

/** `+12.345 678 s`: as many digits as the step needs, in groups of three. */
function momentLabel(ns: number, stepNs: number): string {
  const digits = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(stepNs) - 1e-9)));
  const groups = Math.ceil(digits / 3);
  const full = formatMoment(ns);
  const point = full.indexOf('.');
  return groups === 0 ? `${full.slice(0, point)} s` : `${full.slice(0, point + groups * 4)} s`;
}

/**
 * Where a ruler `width` pixels wide has its marks: whole ns, at least `spacing` pixels apart.
 * Below a microsecond per mark the labels count from a base moment: `+12.345 678 901 s` would not fit.
 */
export function timeTicks(window: TimeWindow, width: number, spacing = 120): TimeTicks {
  const wanted = Math.max(2, Math.floor(width / spacing));
  const stepNs = Math.max(1, tickStep(window.startNs, window.endNs, wanted));
  const first = Math.ceil(Math.max(0, window.startNs) / stepNs);
  const last = Math.floor(window.endNs / stepNs);
  const baseNs = stepNs < 1e3 ? Math.max(0, Math.floor(window.startNs / 1e6) * 1e6) : undefined;
  const ticks: TimeTick[] = [];
  for (let mark = first; mark <= last; mark++) {
    const ns = Math.round(mark * stepNs);
    const label =
      baseNs === undefined ? momentLabel(ns, stepNs) : `+${formatDuration(ns - baseNs)}`;
    ticks.push({ ns, label });
  }
  return { ticks, stepNs, baseNs };
}

/** A span as a person says it in a ruler's corner: `94.63 s in view`. */
export function spanLabel(window: TimeWindow): string {
  return `${formatDuration(Math.round(window.endNs - window.startNs))} in view`.replace(
    ' ',
    NARROW_NO_BREAK_SPACE,
  );
}
