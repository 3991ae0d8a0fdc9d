import { percentiles } from '../../shared/numbers/percentile.ts';
import type { LoopCalls } from './loop-calls.ts';
import type { CandidateLoop, LoopEvents } from './loop-events.ts';

/** A loop found by its pattern. */
export interface Loop {
  readonly name: string;
  /** The event that begins each step, ascending. */
  readonly anchors: Uint32Array;
  /** By event: 1 = it begins another loop between two steps. */
  readonly isForeign: Uint8Array;
  /** Of the steps, 0…1, that make the same copies and synchronisations. */
  readonly share: number;
  readonly eventsPerStep: number;
}

/** A step may copy several times with the same size from the same line. */
const MAX_PER_STEP = 8;
/** Of the steps, and of their time, at least this much must follow the pattern. */
const REGULAR_SHARE = 0.6;
const REGULAR_TIME_SHARE = 0.5;
/** More copies are taken for one step only if the steps are this much more alike. */
const CLEARLY_MORE = 0.1;
/** A batch of another size, the last of an epoch, has no anchor: so many of them in a row are found. */
const MAX_MERGED = 4;

/**
 * The loop of the first sort of candidates that holds one; among several, the one before whose
 * anchors the thread was longest outside CUDA calls: that is where it came back with a batch.
 */
export function bestLoop(
  calls: LoopCalls,
  events: LoopEvents,
  sorts: readonly (readonly CandidateLoop[])[],
  least: number,
): Loop | undefined {
  const sums = patternSums(events);
  for (const candidates of sorts) {
    const loops = candidates.flatMap((one) => judge(calls, events, sums, one, least) ?? []);
    const gaps = loops.map(({ anchors }) => medianGapNs(calls, events, anchors));
    const best = gaps.indexOf(Math.max(...gaps));
    if (best >= 0) return loops[best];
  }
  return undefined;
}

/** Sums of a number per kind of event up to each: a difference is equal for equal multisets. */
function patternSums({ kinds }: LoopEvents): Int32Array {
  const sums = new Int32Array(kinds.length + 1);
  for (let event = 0; event < kinds.length; event++)
    sums[event + 1] = sums[event] + Math.imul(kinds[event] + 1, 0x9e3779b1);
  return sums;
}

/** The loop whose steps begin with every n-th of the anchors, n as small as its pattern allows. */
function judge(
  calls: LoopCalls,
  events: LoopEvents,
  sums: Int32Array,
  { name, anchors, alike }: CandidateLoop,
  least: number,
): Loop | undefined {
  let best: { readonly begins: Uint32Array; readonly usual: UsualPattern } | undefined;
  for (let every = 1; every <= MAX_PER_STEP && anchors.length >= every * least; every++) {
    const begins = everyNth(calls, events, anchors, every);
    const usual = usualPattern(calls, events, sums, begins);
    if (usual.share < REGULAR_SHARE || usual.timeShare < REGULAR_TIME_SHARE) continue;
    if (best === undefined || usual.share > best.usual.share + CLEARLY_MORE)
      best = { begins, usual };
  }
  if (best === undefined) return undefined;
  const { begins, usual } = best;
  const split = splitMerged(events, sums, begins, usual);
  const whole = split.filter((event) => event + usual.events <= events.rows.length);
  if (whole.length < least) return undefined;
  const isForeign = foreignEvents(sums, split, alike, usual, events.rows.length);
  return { name, anchors: whole, isForeign, share: usual.share, eventsPerStep: usual.events };
}

/** Every n-th anchor, counted from that one of the first n before which most time passed. */
function everyNth(
  calls: LoopCalls,
  events: LoopEvents,
  anchors: Uint32Array,
  every: number,
): Uint32Array {
  const offsets = Array.from({ length: every }, (_, offset) =>
    anchors.filter((_anchor, at) => at % every === offset),
  );
  if (every === 1) return offsets[0];
  const gaps = offsets.map((begins) => medianGapNs(calls, events, begins));
  return offsets[gaps.indexOf(Math.max(...gaps))];
}

interface UsualPattern {
  readonly sum: number;
  readonly events: number;
  readonly share: number;
  readonly timeShare: number;
}

/** What most steps are made of, and how many steps and how much of their time that is. */
function usualPattern(
  calls: LoopCalls,
  { calls: at }: LoopEvents,
  sums: Int32Array,
  begins: Uint32Array,
): UsualPattern {
  const found = new Map<number, { steps: number; ns: number; events: number }>();
  let totalNs = 0;
  for (let step = 0; step + 1 < begins.length; step++) {
    const [from, to] = [begins[step], begins[step + 1]];
    const sum = (sums[to] - sums[from]) | 0;
    const known = found.get(sum) ?? { steps: 0, ns: 0, events: to - from };
    const ns = calls.startsNs.nsAt(at[to]) - calls.startsNs.nsAt(at[from]);
    known.steps++;
    known.ns += ns;
    totalNs += ns;
    found.set(sum, known);
  }
  let usual: [number, { steps: number; ns: number; events: number }] = [
    0,
    { steps: 0, ns: 0, events: 0 },
  ];
  for (const entry of found) if (entry[1].steps > usual[1].steps) usual = entry;
  const [sum, { steps, ns, events }] = usual;
  const share = begins.length > 1 ? steps / (begins.length - 1) : 0;
  return { sum, events, share, timeShare: totalNs > 0 ? ns / totalNs : 0 };
}

/** Where the usual pattern stands several times after one begin, the others begin with another size. */
function splitMerged(
  { kinds, sites }: LoopEvents,
  sums: Int32Array,
  begins: Uint32Array,
  { sum, events }: UsualPattern,
): Uint32Array {
  const isUsual = (event: number) => ((sums[event + events] - sums[event]) | 0) === sum;
  const all: number[] = [];
  begins.forEach((from, step) => {
    all.push(from);
    const to = begins[step + 1] ?? kinds.length;
    for (let part = 1; part < MAX_MERGED; part++) {
      const event = from + part * events;
      if (event + events > to || kinds[event] !== kinds[from]) break;
      if (sites[event] !== sites[from] || !isUsual(event - events) || !isUsual(event)) break;
      all.push(event);
    }
  });
  return Uint32Array.from(all);
}

/** Of the events like the anchors those in steps that do not follow the pattern. */
function foreignEvents(
  sums: Int32Array,
  begins: Uint32Array,
  alike: Uint32Array,
  usual: UsualPattern,
  count: number,
): Uint8Array {
  const isForeign = new Uint8Array(count);
  let step = 0;
  for (const event of alike) {
    while (step + 1 < begins.length && begins[step + 1] <= event) step++;
    const from = begins[step];
    const to = begins[step + 1] ?? count;
    if (event > from && ((sums[to] - sums[from]) | 0) !== usual.sum) isForeign[event] = 1;
  }
  return isForeign;
}

/** Median ns between the end of the call before an anchor and the anchor. */
function medianGapNs(calls: LoopCalls, { calls: at }: LoopEvents, anchors: Uint32Array): number {
  const gaps = Float64Array.from(anchors, (event) => {
    const call = at[event];
    return call === 0 ? 0 : Math.max(0, calls.startsNs.nsAt(call) - calls.endsNs.nsAt(call - 1));
  });
  return percentiles(gaps, [50])[0];
}
