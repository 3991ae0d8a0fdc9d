import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildLane, type EventLane, ownEvents } from '../../timeline/model/pyramid.ts';
import { dealToLines, eventsInOrder, type LineStep, MAX_LINES } from './nested-lines.ts';

type Span = readonly [startNs: number, durationNs: number];

function laneOf(spans: readonly Span[]): EventLane {
  const sorted = [...spans].sort(([a], [b]) => a - b);
  return buildLane(
    ownEvents({
      startNs: Float64Array.from(sorted, ([start]) => start),
      durationNs: Float64Array.from(sorted, ([, duration]) => duration),
      rows: Uint32Array.from(sorted.keys()),
      colours: new Uint8Array(sorted.length),
    }),
  );
}

const spans = fc.array(
  fc.tuple(fc.nat(60), fc.oneof(fc.nat(3), fc.nat(50))) as fc.Arbitrary<Span>,
  { maxLength: 60 },
);

/** The spans of each line, by the rule that an end closes the innermost. */
function readLines(steps: readonly LineStep[]): Map<number, Span[]> {
  const lines = new Map<number, Span[]>();
  const open = new Map<number, number[]>();
  const clock = new Map<number, number>();
  for (const step of steps) {
    const at = step.kind === 'end' ? step.ns : step.event.startNs;
    expect(at).toBeGreaterThanOrEqual(clock.get(step.line) ?? 0);
    clock.set(step.line, at);
    const around = open.get(step.line) ?? [];
    open.set(step.line, around);
    if (step.kind === 'begin') around.push(step.event.startNs);
    if (step.kind !== 'end') continue;
    const startNs = around.pop() ?? Number.NaN;
    lines.set(step.line, [...(lines.get(step.line) ?? []), [startNs, step.ns - startNs]]);
  }
  expect([...open.values()].flat()).toEqual([]);
  return lines;
}

const inOrder = (all: readonly Span[]) => [...all].sort((a, b) => a[0] - b[0] || a[1] - b[1]);

test('every event is on one line, with its own begin and end', () => {
  fc.assert(
    fc.property(fc.array(spans, { maxLength: 4 }), (lanes) => {
      const steps = [...dealToLines(eventsInOrder(lanes.map(laneOf)))];
      expect(inOrder([...readLines(steps).values()].flat())).toEqual(inOrder(lanes.flat()));
    }),
  );
});

test('what lies within each other is one line', () => {
  const steps = [
    ...dealToLines(
      eventsInOrder([
        laneOf([[0, 100]]),
        laneOf([
          [0, 50],
          [50, 50],
        ]),
      ]),
    ),
  ];
  expect([...readLines(steps).keys()]).toEqual([0]);
});

test('more events at once than there are lines are instants', () => {
  const crossing = Array.from({ length: MAX_LINES + 2 }, (_, at): Span => [at, 1000 + at]);
  const steps = [...dealToLines(eventsInOrder([laneOf(crossing)]))];
  expect(steps.filter(({ kind }) => kind === 'begin')).toHaveLength(MAX_LINES);
  expect(steps.filter(({ kind }) => kind === 'instant')).toHaveLength(2);
});
