import type { EventLane } from '../../timeline/model/pyramid.ts';

/** An event of one of several lanes. */
export interface LaneEvent {
  readonly lane: EventLane;
  readonly index: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** The events of several lanes in order of start; of those that start together the longest first. */
export function eventsInOrder(lanes: readonly EventLane[]): Iterable<LaneEvent> {
  const [only] = lanes;
  return only !== undefined && lanes.length === 1 ? eventsOf(only) : merged(lanes);
}

function* merged(lanes: readonly EventLane[]): Generator<LaneEvent> {
  const next = lanes.map(eventsOf);
  const heads = next.map((events) => events.next().value);
  for (;;) {
    let best = -1;
    for (let at = 0; at < heads.length; at++) {
      const head = heads[at];
      if (head !== undefined && (best < 0 || isBefore(head, heads[best]))) best = at;
    }
    const event = heads[best];
    if (event === undefined) return;
    yield event;
    heads[best] = next[best]?.next().value;
  }
}

/** A lane's events are sorted by start alone. */
function* eventsOf(lane: EventLane): Generator<LaneEvent, undefined> {
  let together: LaneEvent[] = [];
  for (let index = 0; index < lane.length; index++) {
    const startNs = Math.max(0, lane.times.startNs(index));
    const event = { lane, index, startNs, endNs: startNs + lane.times.durationNs(index) };
    if (together.length > 0 && together[0]?.startNs !== startNs) {
      yield* together.sort((a, b) => b.endNs - a.endNs);
      together = [];
    }
    together.push(event);
  }
  yield* together.sort((a, b) => b.endNs - a.endNs);
  return undefined;
}

function isBefore(a: LaneEvent, b: LaneEvent | undefined): boolean {
  return b === undefined || a.startNs < b.startNs || (a.startNs === b.startNs && a.endNs > b.endNs);
}

/** What comes next on a line, counted from 0, in order of time for each line. */
export type LineStep =
  | { readonly kind: 'begin'; readonly line: number; readonly event: LaneEvent }
  | { readonly kind: 'end'; readonly line: number; readonly ns: number }
  /** An event without an end of its own: it overlaps others on every line. */
  | { readonly kind: 'instant'; readonly line: number; readonly event: LaneEvent };

/** More lines than anyone reads. */
export const MAX_LINES = 64;

/**
 * Deals events in order out to lines, the first that has room, so that those of a line lie within each
 * other or apart: Perfetto reads what overlaps in part as nested, with another end.
 */
export function* dealToLines(events: Iterable<LaneEvent>): Generator<LineStep> {
  /** By line, the ends of its open events, the innermost last. */
  const lines: number[][] = [];
  for (const event of events) {
    for (let line = 0; line < lines.length; line++) {
      const open = lines[line];
      if (open !== undefined && (open.at(-1) ?? Infinity) <= event.startNs)
        yield* closeUntil(open, event.startNs, line);
    }
    let line = lines.findIndex((open) => event.endNs <= (open.at(-1) ?? Infinity));
    if (line < 0 && lines.length < MAX_LINES) line = lines.push([]) - 1;
    const open = lines[line];
    if (open === undefined) {
      yield { kind: 'instant', line: MAX_LINES - 1, event };
      continue;
    }
    yield { kind: 'begin', line, event };
    if (event.endNs > event.startNs) open.push(event.endNs);
    else yield { kind: 'end', line, ns: event.endNs };
  }
  for (const [line, open] of lines.entries()) yield* closeUntil(open, Infinity, line);
}

function* closeUntil(open: number[], untilNs: number, line: number): Generator<LineStep> {
  for (let ns = open.at(-1); ns !== undefined && ns <= untilNs; ns = open.at(-1)) {
    open.pop();
    yield { kind: 'end', line, ns };
  }
}
