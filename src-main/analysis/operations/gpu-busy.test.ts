import { describe, expect, test } from 'vitest';
import { busyBasis, busyText } from '../../shared/words/gpu-busy-words.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { gpuBusy } from './gpu-busy.ts';

const names = [
  ['', 'CPU (%)'],
  ['', 'GPU utilisation (%)'],
] as const;

describe('how busy the GPUs were', () => {
  test('is the mean of the utilisation samples of each, with the lowest and the highest', () => {
    const trace = buildTrace({
      names,
      rows: {
        sample: [
          { startNs: 1, metric: 0, gpu: -1, value: 99 },
          { startNs: 1, metric: 1, gpu: 1, value: 10 },
          { startNs: 1, metric: 1, gpu: 0, value: 100 },
          { startNs: 2, metric: 1, gpu: 0, value: 0 },
          { startNs: 3, metric: 1, gpu: 0, value: Number.NaN },
          { startNs: 3, metric: 1, gpu: 0, value: 20 },
        ],
      },
    });
    expect(gpuBusy(trace)).toEqual([
      { gpu: 0, samples: 3, meanPercent: 40, minPercent: 0, maxPercent: 100 },
      { gpu: 1, samples: 1, meanPercent: 10, minPercent: 10, maxPercent: 10 },
    ]);
  });

  test('is not known without samples', () => {
    expect(gpuBusy(buildTrace({ names }))).toEqual([]);
    const sample = [{ startNs: 1, metric: 0, value: 99 }];
    expect(gpuBusy(buildTrace({ names, rows: { sample } }))).toEqual([]);
  });

  test('is told of each host where the GPU is not known', () => {
    const sample = [0, 1, 1].map((host, at) => ({
      ...{ startNs: at, metric: 1, gpu: -1, value: host * 100, host },
    }));
    const hosts = [{ hostname: 'node1' }, { hostname: 'node2' }];
    const trace = { ...buildTrace({ names, rows: { sample } }), hosts };
    const busy = gpuBusy(trace);
    expect(busy.map(({ gpu, host, meanPercent }) => [gpu, host, meanPercent])).toEqual([
      [-1, 0, 0],
      [-1, 1, 100],
    ]);
    const text = busyText({ ...trace, tables: trace.tables as never, gpuBusy: busy });
    expect(text).toMatch(/^GPU · node1: 0 % .*; GPU · node2: 100 %/);
  });

  test('is never said to be exact', () => {
    expect(busyBasis({ kind: 'exact', note: '' })).toBe('sampled');
    expect(busyBasis({ kind: 'sampled', everyNs: 1e8, note: '' })).toBe('sampled every 100 ms');
    const sample = [{ startNs: 1, metric: 1, gpu: 0, value: 25 }];
    const trace = buildTrace({ names, rows: { sample } });
    const { gpus, hosts, tables } = trace;
    const summary = { gpus, hosts, tables: tables as never, gpuBusy: gpuBusy(trace) };
    expect(busyText(summary)).toBe('25.0 % (25.0 %–25.0 %, sampled)');
  });
});
