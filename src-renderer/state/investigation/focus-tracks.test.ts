import { expect, test } from 'vitest';
import type { WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';
import type { TrackGroup } from '../../../src-main/timeline/model/track-model.ts';
import { focusTracks } from './focus-tracks.ts';

const track = (id: string, more = {}) => ({ id, kind: 'states', label: id, detail: '', ...more });
const groups = [
  { id: 'gpu:0', tracks: [track('gpu_busy:0'), track('gpu_work:0')] },
  { id: 'main:0', tracks: [track('cuda_call:1'), track('off_cpu:1')] },
  {
    id: 'workers',
    tracks: [
      track('off_cpu:2', { pid: 20 }),
      track('aggregate:2:switch', { under: 'off_cpu:2', kind: 'buckets', op: 'sched_switch' }),
      track('off_cpu:4', { under: 'off_cpu:2' }),
      track('off_cpu:3', {
        table: 'off_cpu',
        parts: [
          { thread: 3, startNs: 0 },
          { thread: 5, startNs: 9 },
        ],
      }),
    ],
  },
  { id: 'cpus', tracks: [track('on_cpu:0'), track('on_cpu:1')] },
  { id: 'system', tracks: [track('cpu', { kind: 'line', label: 'CPU' })] },
] as unknown as TrackGroup[];
const ids = (chain?: unknown) =>
  focusTracks(groups, 1, chain as WaitChain | undefined).map(({ id }) => id);

test('are the GPU, the thread itself, who mattered most, and the CPU they shared', () => {
  const segments = [
    { thread: { thread: 1 }, startNs: 0, endNs: 9 },
    {
      thread: { thread: 2 },
      startNs: 9,
      endNs: 12,
      cpu: 1,
      ran: [{ thread: { thread: 3 }, ns: 5 }],
    },
  ];
  expect(ids({ segments })).toEqual([
    ...['gpu_busy:0', 'cuda_call:1', 'off_cpu:1', 'off_cpu:3', 'off_cpu:2', 'on_cpu:1'],
  ]);
});

test('while the chain is awaited there are about as many rows as it will have, and then those that matter', () => {
  expect(focusTracks(groups, 1, undefined, true).map(({ id }) => id)).toEqual([
    ...['gpu_busy:0', 'cuda_call:1', 'off_cpu:1', 'aggregate:2:switch', 'off_cpu:3', 'off_cpu:4'],
    ...['on_cpu:0', 'on_cpu:1'],
  ]);
  // Of a trace that does not know who ran, the machine's figure.
  const without = groups.filter(({ id }) => id !== 'cpus');
  expect(focusTracks(without, 1, undefined, true).at(-1)?.id).toBe('cpu');
});

test('where nobody waited for a CPU, no row says who had one', () => {
  const segments = [{ thread: { thread: 1 }, state: 'running', startNs: 0, endNs: 9, cpu: 1 }];
  expect(ids({ segments })).not.toContain('on_cpu:1');
  expect(ids({ segments })).not.toContain('cpu');
});

test('a worker that was two processes, one after the other, is one row', () => {
  const segments = [
    { thread: { thread: 5 }, startNs: 0, endNs: 9 },
    { thread: { thread: 3 }, startNs: 9, endNs: 12 },
    { thread: { thread: 2 }, startNs: 12, endNs: 13 },
  ];
  expect(ids({ segments }).filter((id) => id.startsWith('off_cpu'))).toEqual([
    ...['off_cpu:1', 'off_cpu:3', 'off_cpu:2'],
  ]);
});

test('who had less than a hundredth of the stretch has no row', () => {
  const segments = [
    { thread: { thread: 2 }, startNs: 0, endNs: 990 },
    { thread: { thread: 3 }, startNs: 990, endNs: 995, ran: [{ thread: { thread: 5 }, ns: 3 }] },
    { thread: { thread: 1 }, startNs: 995, endNs: 1_000 },
  ];
  expect(ids({ segments }).filter((id) => id.startsWith('off_cpu'))).toEqual([
    ...['off_cpu:1', 'off_cpu:2'],
  ]);
});

test('of several GPUs it is the one that ran work of the thread’s process', () => {
  const [first, , ...others] = groups;
  const second = {
    id: 'gpu:1',
    tracks: [track('gpu_busy:1'), track('gpu_work:1:7', { process: 4 })],
  };
  const main = { id: 'main:0', tracks: [track('cuda_call:1', { process: 4 }), track('off_cpu:1')] };
  const all = [first, second, main, ...others] as unknown as TrackGroup[];
  expect(focusTracks(all, 1, undefined)[0]?.id).toBe('gpu_busy:1');
});

test('without records of the GPU, where it is proven to be idle', () => {
  const idle = { id: 'steps', tracks: [track('gpu-idle:1'), track('gpu-idle:7')] };
  const [, ...others] = groups;
  const found = focusTracks([idle as unknown as TrackGroup, ...others], 1, undefined);
  expect(found.slice(0, 2).map(({ id }) => id)).toEqual(['gpu-idle:1', 'cuda_call:1']);
  const both = focusTracks([idle as unknown as TrackGroup, ...groups], 1, undefined);
  expect(both[0]?.id).toBe('gpu_busy:0');
});

test('without a wait chain each worker has a row, and the machine says how busy it was', () => {
  expect(ids()).toEqual([
    ...['gpu_busy:0', 'cuda_call:1', 'off_cpu:1', 'aggregate:2:switch', 'off_cpu:3', 'cpu'],
  ]);
});
