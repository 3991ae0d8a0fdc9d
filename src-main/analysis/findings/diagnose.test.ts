import { expect, test } from 'vitest';
import { withRoles } from '../roles/roles.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { diagnose } from './diagnose.ts';

test('judges the ranks with the most calls where there are too many, and says so', () => {
  const pids = Array.from({ length: 80 }, (_, rank) => rank);
  const callsOf = (thread: number) =>
    Array.from({ length: thread + 1 }, (_, nth) => ({
      ...{ startNs: nth * 1000 + thread, durationNs: 500, thread, op: 0, layer: 1 },
    }));
  const trace = buildTrace({
    names: [['CUDA', 'cudaLaunchKernel']],
    processes: pids.map((rank) => ({ pid: 100 + rank, name: 'python3', rank })),
    threads: pids.map((rank) => ({ tid: 100 + rank, process: rank, name: 'python3' })),
    rows: { cuda_call: pids.flatMap(callsOf).sort((a, b) => a.startNs - b.startNs) },
  });
  const { ranks, cannotTell } = diagnose(withRoles(trace)).diagnosis;
  expect(ranks.map(({ rank }) => rank.rank)).toEqual(pids.slice(16));
  expect(cannotTell[0]?.because).toBe(
    'Of 80 that were found, 64 were judged: those with the most CUDA calls.',
  );
});
