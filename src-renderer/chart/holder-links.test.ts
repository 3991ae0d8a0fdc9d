import { expect, test } from 'vitest';
import type { ChainSegment } from '../../src-main/shared/answers/wait-chain.ts';
import type { TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import { heldWaits, holderLinks } from './holder-links.ts';

const row = (id: string, y: number, thread?: number): TrackRow =>
  ({ id, y, height: 24, track: { kind: 'states', id, table: 'off_cpu', thread } }) as never;
const states = row('off_cpu:1', 0, 1);
const worker = row('off_cpu:2', 24, 2);
const cpu = row('on_cpu:0', 48);
const cpuWait = (startNs: number, endNs: number, holder?: number): ChainSegment =>
  ({
    ...{ startNs, endNs, thread: { thread: 1 }, cpu: 0 },
    ...(holder !== undefined && { ran: [{ thread: { thread: holder }, ns: 1 }] }),
  }) as never;
const span = { window: { startNs: 0, endNs: 1000 }, width: 1000, pixelRatio: 1 };
const still = { top: 0, fixed: 0 };
const linksOf = (segments: readonly ChainSegment[], rows: readonly TrackRow[], scroll = still) =>
  holderLinks(span, heldWaits(segments, rows), scroll);

test('a wait is linked with who had the CPU: on a row of its own, else on that of the CPU', () => {
  const links = linksOf([cpuWait(0, 400, 2), cpuWait(400, 600, 9)], [states, worker, cpu]);
  expect(links).toEqual([
    { x: 200, fromY: 20, toY: 28 },
    { x: 500, fromY: 20, toY: 52 },
  ]);
  expect(
    linksOf(
      [cpuWait(0, 400, 2)],
      [
        { ...worker, y: 0 },
        { ...states, y: 24 },
      ],
    ),
  ).toEqual([{ x: 200, fromY: 28, toY: 20 }]);
});

test('none where nobody is known to have held it, or where a row is not shown', () => {
  expect(linksOf([cpuWait(0, 400)], [states, worker, cpu])).toEqual([]);
  expect(linksOf([cpuWait(0, 400, 9)], [states, worker])).toEqual([]);
  expect(linksOf([cpuWait(0, 400, 2)], [states, worker], { top: 30, fixed: 24 })).toEqual([]);
});

test('only the longest of many, and none too narrow to be seen', () => {
  const many = Array.from({ length: 40 }, (_, at) => cpuWait(at * 25, at * 25 + 5 + at / 4, 2));
  const links = linksOf(many, [states, worker]);
  expect(links).toHaveLength(8);
  expect(Math.min(...links.map(({ x }) => x))).toBeGreaterThan(790);
  expect(linksOf([cpuWait(0, 3, 2)], [states, worker])).toEqual([]);
});
