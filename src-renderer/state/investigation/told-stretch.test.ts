import { expect, test } from 'vitest';
import { OwnTimes } from '../../../src-main/timeline/model/event-times.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import type { EventHit } from '../../../src-main/timeline/view/locate-event.ts';
import { toldStretch } from './told-stretch.ts';

const rank = {
  mainThread: 4,
  gpu: 0,
  steps: [{ index: 1_233, startNs: 10, endNs: 30 }],
  idle: {
    spans: [
      [12, 14],
      [20, 28],
    ],
  },
};
const lane = { times: new OwnTimes(Float64Array.of(40, 50), Float64Array.of(5, 6)) };
const hit = (id: string, index: number) =>
  ({
    ...{ lane, index },
    track: { id, nameOf: (_: unknown, at: number) => (at === 1 ? 'GPU idle' : 'Computing') },
  }) as unknown as EventHit;
const of = (id: string, index: number, steps: readonly object[] = [rank]) =>
  toldStretch({ steps } as unknown as TraceView, hit(id, index));

test('a step is one, and so is a time in which the GPU is proven to be idle', () => {
  expect(of('steps:4', 0)).toEqual({ title: 'Step 1,234', thread: 4, startNs: 10, endNs: 30 });
  expect(of('gpu-idle:4', 1)).toEqual({ title: 'GPU idle', thread: 4, startNs: 20, endNs: 28 });
});

test('idle by its own records, it is that of the one rank that uses it', () => {
  expect(of('gpu_busy:0', 1)).toEqual({ title: 'GPU idle', thread: 4, startNs: 50, endNs: 56 });
  expect(of('gpu_busy:0', 0)).toBeUndefined();
  expect(of('gpu_busy:1', 1)).toBeUndefined();
  expect(of('gpu_busy:0', 1, [rank, { ...rank, mainThread: 5 }])).toBeUndefined();
});

test('nothing else is', () => {
  expect(of('gpu-idle:4', 2)).toBeUndefined();
  expect(of('gpu-idle:5', 0)).toBeUndefined();
  expect(of('off_cpu:4', 0)).toBeUndefined();
});
