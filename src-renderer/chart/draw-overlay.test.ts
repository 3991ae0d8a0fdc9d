import { expect, test } from 'vitest';
import { isEmptyOverlay } from './draw-overlay.ts';

type Scene = Parameters<typeof isEmptyOverlay>[0];

const nothing: Scene = {
  scroll: { top: 0, fixed: 0 },
  selected: undefined,
  range: undefined,
  rangeRows: [],
  submissions: undefined,
  chain: undefined,
  held: [],
  chainIndex: -1,
  notes: { marks: [], pointed: undefined },
};
const mark = { id: 'a', atNs: 5, label: '' };
const range = { startNs: 0, endNs: 5 };

test('an overlay without anything to draw is empty, also with notes that are flags only', () => {
  expect(isEmptyOverlay(nothing)).toBe(true);
  expect(isEmptyOverlay({ ...nothing, notes: { marks: [mark], pointed: undefined } })).toBe(true);
});

test('whatever is drawn in it makes it not empty', () => {
  const ranged = { marks: [{ ...mark, range }], pointed: undefined };
  expect(isEmptyOverlay({ ...nothing, range })).toBe(false);
  expect(isEmptyOverlay({ ...nothing, notes: ranged })).toBe(false);
  expect(isEmptyOverlay({ ...nothing, notes: { marks: [mark], pointed: mark } })).toBe(false);
  expect(isEmptyOverlay({ ...nothing, submissions: { call: undefined, works: [] } })).toBe(false);
  for (const part of ['selected', 'chain'] as const)
    expect(isEmptyOverlay({ ...nothing, [part]: {} })).toBe(false);
});
