import { describe, expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type Row } from '../testing/build-trace.ts';
import { explainCall } from './explain-call.ts';

const H2D = 1;
const MIB = 2 ** 20;
const copy = (thread: number, durationNs: number, stream = -1): Row<'cuda_call'> => ({
  ...{ op: 0, direction: H2D, bytes: 400 * MIB, layer: 1, hostMemory: 4 },
  ...{ thread, durationNs, stream },
});

function traceOf(calls: readonly Row<'cuda_call'>[], hardware: Partial<Trace>): Trace {
  const trace = buildTrace({
    names: [['CUDA', 'cudaMemcpyAsync']],
    processes: [
      { pid: 9, name: 'python3', host: 0 },
      { pid: 9, name: 'python3', host: 1 },
    ],
    threads: [
      { tid: 9, process: 0, name: 'python3' },
      { tid: 9, process: 1, name: 'python3' },
    ],
    rows: { cuda_call: calls.map((call, at) => ({ startNs: at * 1e8, ...call })) },
  });
  return withRoles({ ...trace, ...hardware });
}

const twoHosts = {
  hosts: [{ hostname: 'gpu-a' }, { hostname: 'gpu-b' }],
  gpus: [
    { model: 'RTX 4090', host: 0 },
    { model: 'H100', host: 1 },
  ],
};

describe('a call in a trace of several hosts', () => {
  const calls = [copy(0, 64e6), copy(1, 32e6), copy(0, 65e6), copy(1, 31e6)];

  test('is compared with calls on its own machine', () => {
    const trace = traceOf(calls, twoHosts);
    const [slow, fast] = [explainCall(trace, 2), explainCall(trace, 1)];
    expect(slow.rank).toMatchObject({
      ...{ rank: 1, of: 2, medianNs: 64e6 },
      peers: 'cudaMemcpyAsync · H2D · > 256 MiB · gpu-a',
    });
    expect(fast.rank).toMatchObject({ rank: 1, of: 2, medianNs: 31e6 });
    expect(slow.memory.bestRate?.call).toBe(0);
    expect(fast.memory.bestRate?.call).toBe(3);
  });

  test('says which machine it is of', () => {
    const trace = traceOf(calls, twoHosts);
    expect(explainCall(trace, 1).call).toMatchObject({ pid: 9, host: 'gpu-b' });
    expect(explainCall({ ...trace, hosts: [{ hostname: 'gpu-a' }] }, 0).call).not.toHaveProperty(
      'host',
    );
  });

  test('is compared with calls on its own kind of GPU where its stream tells', () => {
    const trace = traceOf([copy(0, 64e6, 0), copy(0, 32e6, 1), copy(0, 65e6, 0)], {
      ...twoHosts,
      gpus: [
        { model: 'RTX 4090', host: 0 },
        { model: 'H100', host: 0 },
      ],
      contexts: [
        { process: 0, gpu: 0 },
        { process: 0, gpu: 1 },
      ],
      streams: [
        { name: '7', context: 0 },
        { name: '7', context: 1 },
      ],
    });
    expect(explainCall(trace, 2)).toMatchObject({
      rank: { of: 2, peers: 'cudaMemcpyAsync · H2D · > 256 MiB · gpu-a · RTX 4090' },
      memory: { bestRate: { call: 0 } },
    });
  });
});

test('of one host and one kind of GPU nothing is told apart', () => {
  const trace = traceOf([copy(0, 64e6), copy(0, 32e6)], { gpus: [{ model: 'H100' }] });
  expect(explainCall(trace, 0).rank).toMatchObject({
    ...{ rank: 1, of: 2, peers: 'cudaMemcpyAsync · H2D · > 256 MiB' },
  });
});
