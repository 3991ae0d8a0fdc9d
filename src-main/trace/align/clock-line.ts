import type { Trace } from '../../shared/model/trace.ts';
import type { MeasuredClock, MeasuredOffset } from '../../shared/remote/measured-clock.ts';

/** What a clock that nobody sets gains or loses at most, taken for granted: 0.1 ms a second. */
const DRIFT = 1e-4;
/**
 * By how much its rate differs at most from the mean of the capture, taken for granted: 10 µs a second. It is the crystal's
 * temperature that changes it, by less than that between 20 and 60 °C.
 */
const WANDER = 1e-5;

/**
 * How far a host's clock is from that of the machine that asked it for the time, at any of that machine's times. These are
 * in ns from a moment that all lines have in common.
 */
export interface ClockLine {
  /** The host's − this machine's at a time of this machine, ns. */
  offsetAt(ns: number): number;
  /** The time of this machine at a time of the host, both from the common moment, ns. */
  timeOf(hostNs: number): number;
  /** The offset is right to ± this at every time from one to the other, ns. */
  widthOver(fromNs: number, toNs: number): number;
  /** Whether it was read twice, so that it is known what the clock gained or lost meanwhile. */
  readonly isReadTwice: boolean;
}

interface Point {
  readonly atNs: number;
  readonly offsetNs: number;
  readonly widthNs: number;
}

/** `undefined` where the date of a reading is none. `fromMs`: the common moment, ms of Unix time. */
export function clockLine(
  clock: MeasuredClock,
  trace: Pick<Trace, 'clocks'>,
  fromMs: number,
): ClockLine | undefined {
  const begin = pointOf(clock, fromMs);
  if (begin === undefined) return undefined;
  const end = clock.atEnd === undefined ? undefined : pointOf(clock.atEnd, fromMs);
  if (end === undefined || end.atNs <= begin.atNs) return lineThroughOne(begin);
  const unset = { ...end, offsetNs: end.offsetNs - setMeanwhile(trace) };
  const rate = (unset.offsetNs - begin.offsetNs) / (unset.atNs - begin.atNs);
  const most = DRIFT + (begin.widthNs + unset.widthNs) / (unset.atNs - begin.atNs);
  // A clock that moved further was set, and nobody knows when: the trace counts from what it said before.
  return Math.abs(rate) > most ? lineThroughOne(begin) : lineThroughTwo(begin, unset, rate);
}

function pointOf(
  { offsetNs, uncertaintyNs, measuredAt }: MeasuredOffset,
  fromMs: number,
): Point | undefined {
  const atNs = (Date.parse(measuredAt) - fromMs) * 1e6;
  return Number.isFinite(atNs) ? { atNs, offsetNs, widthNs: uncertaintyNs } : undefined;
}

/** By how much the host's date was set during the capture, ns: its trace's times are those of a clock that goes on. */
function setMeanwhile({ clocks }: Pick<Trace, 'clocks'>): number {
  const ahead = (clocks[0]?.readings ?? []).flatMap(({ monotonicNs, realNs }) =>
    monotonicNs === undefined || realNs === undefined ? [] : [realNs - monotonicNs],
  );
  return Number((ahead.at(-1) ?? 0n) - (ahead[0] ?? 0n));
}

function lineThroughOne({ atNs, offsetNs, widthNs }: Point): ClockLine {
  const widthAt = (ns: number) => widthNs + Math.abs(ns - atNs) * DRIFT;
  return {
    offsetAt: () => offsetNs,
    timeOf: (hostNs) => hostNs - offsetNs,
    widthOver: (fromNs, toNs) => Math.max(widthAt(fromNs), widthAt(toNs)),
    isReadTwice: false,
  };
}

function lineThroughTwo(begin: Point, end: Point, rate: number): ClockLine {
  const lengthNs = end.atNs - begin.atNs;
  const offsetAt = (ns: number) => begin.offsetNs + rate * (ns - begin.atNs);
  const widthAt = (ns: number) => {
    // Before and after, the clock may have gone at any rate.
    if (ns < begin.atNs) return begin.widthNs + (begin.atNs - ns) * (DRIFT + Math.abs(rate));
    if (ns > end.atNs) return end.widthNs + (ns - end.atNs) * (DRIFT + Math.abs(rate));
    const part = (ns - begin.atNs) / lengthNs;
    const read = begin.widthNs + part * (end.widthNs - begin.widthNs);
    return read + WANDER * Math.min(ns - begin.atNs, end.atNs - ns);
  };
  const corners = [begin.atNs, (begin.atNs + end.atNs) / 2, end.atNs];
  return {
    offsetAt,
    timeOf: (hostNs) => begin.atNs + (hostNs - begin.atNs - begin.offsetNs) / (1 + rate),
    widthOver(fromNs, toNs) {
      const within = corners.filter((ns) => ns > fromNs && ns < toNs);
      return Math.max(...[fromNs, ...within, toNs].map(widthAt));
    },
    isReadTwice: true,
  };
}
