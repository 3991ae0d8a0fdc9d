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

const MS = 1e6;
/** One training step of 20 ms, half of it spent in allocating memory. */
const step = (nth: number, thread: number) => {
  const at = nth * 20 * MS;
  const call = { thread, layer: 1, bytes: -1, direction: 0 };
  return [
    { ...call, op: 0, startNs: at, durationNs: 2 * MS, bytes: 1e7, direction: 1 },
    { ...call, op: 1, startNs: at + 3 * MS, durationNs: 10 * MS },
    { ...call, op: 2, startNs: at + 14 * MS, durationNs: 3 * MS },
  ];
};

test('findings of several hosts say of which they are, those of one do not', () => {
  const steps = Array.from({ length: 30 }, (_, nth) => [...step(nth, 0), ...step(nth, 1)]);
  const trace = buildTrace({
    names: [
      ['CUDA', 'cudaMemcpyAsync'],
      ['CUDA', 'cudaMalloc'],
      ['CUDA', 'cudaStreamSynchronize'],
    ],
    processes: [
      { pid: 9, name: 'python3' },
      { pid: 9, name: 'python3', host: 1 },
    ],
    threads: [
      { tid: 9, name: 'python3' },
      { tid: 9, name: 'python3', process: 1 },
    ],
    rows: { cuda_call: steps.flat().sort((a, b) => a.startNs - b.startNs) },
  });
  const titlesOn = (...hostnames: string[]) => {
    const hosts = hostnames.map((hostname) => ({ hostname }));
    return diagnose(withRoles({ ...trace, hosts })).diagnosis.findings.map(({ title }) => title);
  };
  const title = 'Memory is allocated in every step';
  const several = titlesOn('gpu-a', 'gpu-b');
  expect(several).toContain(`${title} · gpu-a`);
  expect(several).toContain(`${title} · gpu-b`);
  expect(new Set(several).size).toBe(several.length);
  expect(titlesOn('gpu-a').filter((each) => each === title)).toHaveLength(2);
});
