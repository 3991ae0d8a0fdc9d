import { expect, test } from 'vitest';
import type { ChainSegment } from '../../src-main/shared/answers/wait-chain.ts';
import type { TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import { chainShapes, layoutChain } from './chain-path.ts';

const row = (thread: number, y: number, table = 'off_cpu'): TrackRow =>
  ({
    id: `${table}:${thread}`,
    y,
    height: 24,
    track: { kind: 'states', id: `${table}:${thread}`, table, thread },
  }) as unknown as TrackRow;

const segment = (thread: number, startNs: number, endNs: number, cpu?: number): ChainSegment => ({
  startNs,
  endNs,
  thread: {
    thread,
    process: 0,
    pid: 1,
    tid: 1,
    role: 'other',
    name: `thread ${thread}`,
    lineage: '',
    relation: 'other',
  },
  state: 'running',
  reason: 'ran',
  proof: 'proven',
  ...(cpu === undefined ? {} : { cpu }),
});

const span = { window: { startNs: 0, endNs: 1000 }, width: 1000, pixelRatio: 1 };

test('each segment is at the foot of its thread’s states', () => {
  const rows = [row(1, 0, 'cuda_call'), row(1, 24), row(2, 48)];
  const layout = layoutChain([segment(1, 0, 400), segment(2, 400, 1000)], rows);
  expect([...(layout?.y ?? [])]).toEqual([45.5, 69.5]);
  expect(layout && chainShapes(layout, span)).toEqual({
    stretches: [
      { index: 0, left: 0, right: 400, y: 45.5, isSkipped: false },
      { index: 1, left: 400, right: 1000, y: 69.5, isSkipped: false },
    ],
    turns: [{ x: 400, top: 45.5, bottom: 69.5 }],
  });
});

test('a thread without a track of its own is on the track of its CPU', () => {
  const onCpu = {
    ...row(9, 100),
    track: { kind: 'events', id: 'on_cpu:3' },
  } as unknown as TrackRow;
  expect([...(layoutChain([segment(7, 0, 1, 3)], [onCpu])?.y ?? [])]).toEqual([121.5]);
});

test('a track that is not shown is skipped, at the height of the one before it', () => {
  const chain = [segment(7, 0, 100), segment(1, 100, 200), segment(8, 200, 300)];
  const layout = layoutChain(chain, [row(1, 0)]);
  expect([...(layout?.y ?? [])]).toEqual([21.5, 21.5, 21.5]);
  expect([...(layout?.isSkipped ?? [])]).toEqual([1, 0, 1]);
  expect(layoutChain(chain, [row(5, 0)])).toBeUndefined();
});

test('a thousand short segments are as many lines as there are pixels, not more', () => {
  const rows = [row(1, 0), row(2, 24)];
  const chain = Array.from({ length: 100_000 }, (_, index) =>
    segment(1 + (index % 2), index / 100, (index + 1) / 100),
  );
  const layout = layoutChain(chain, rows);
  const shapes = layout && chainShapes(layout, span);
  expect(shapes?.stretches).toEqual([]);
  expect(shapes?.turns.length).toBeLessThanOrEqual(1000);
  expect(shapes?.turns[0]).toMatchObject({ top: 21.5, bottom: 45.5 });
});

test('only what is in view has a shape', () => {
  const chain = [segment(1, 0, 10_000), segment(2, 10_000, 10_010), segment(1, 10_010, 90_000)];
  const layout = layoutChain(chain, [row(1, 0), row(2, 24)]);
  const window = { startNs: 10_000, endNs: 10_020 };
  const shapes = layout && chainShapes(layout, { ...span, window });
  expect(shapes?.stretches.map(({ index, left, right }) => [index, left, right])).toEqual([
    [1, 0, 500],
    [2, 500, 1001],
  ]);
});
