import { describe, expect, test } from 'vitest';
import { GpuJob, gpuTrace, MS } from '../testing/gpu-job.ts';
import { gpuWorked } from './gpu-worked.ts';

/** 2 ms of kernels on GPU 0, 3 ms after 5 ms of nothing; 1 ms on GPU 1. */
function twoGpus(): GpuJob {
  const job = new GpuJob();
  job.launch(2 * MS, 0, 1 * MS);
  job.launch(1 * MS, 16, 1 * MS);
  job.host(5 * MS);
  job.launch(3 * MS, 0, 1 * MS);
  job.sync();
  return job;
}

describe('how busy a GPU was, by its own records', () => {
  test('is of each GPU for itself', () => {
    const [first, second] = gpuWorked(gpuTrace([twoGpus()], { gpus: 2 }));
    expect(first).toEqual({
      ...{ gpu: 0, label: 'GPU 0', unknownNs: 0 },
      ...{ busyNs: 5 * MS, computingNs: 5 * MS, kernelNs: 5 * MS, overNs: 10 * MS },
    });
    expect(second).toMatchObject({ gpu: 1, label: 'GPU 1', busyNs: 1 * MS, overNs: 1 * MS });
  });

  test('where records were lost it may have worked: the rest is not known', () => {
    const gaps = [{ startNs: 3 * MS, durationNs: 2 * MS, lost: 4 }];
    const [worked] = gpuWorked(gpuTrace([twoGpus()], { gpus: 2, gaps }));
    expect(worked).toMatchObject({ busyNs: 5 * MS, unknownNs: 2 * MS });
  });

  test('where any may be missing, nobody says when, it worked for this long at least', () => {
    const provenance = {
      gpu_work: { kind: 'partial', note: '' },
      gap: { kind: 'absent', note: '' },
    } as const;
    const [worked] = gpuWorked(gpuTrace([twoGpus()], { gpus: 2, provenance }));
    expect(worked).toMatchObject({ busyNs: 5 * MS, unknownNs: 5 * MS, overNs: 10 * MS });
  });

  test('GPUs that the records do not name are told apart by their hosts', () => {
    const jobs = [new GpuJob(0), new GpuJob(1)];
    for (const [at, job] of jobs.entries()) {
      job.launch((1 + at) * MS);
      job.sync();
    }
    const trace = gpuTrace(jobs);
    trace.tables.gpu_work.columns.gpu.fill(-1);
    const processes = trace.processes.map((process, host) => ({ ...process, host }));
    const hosts = [{ hostname: 'node1' }, { hostname: 'node2' }];
    const told = gpuWorked({ ...trace, processes, hosts, gpus: [] });
    expect(told.map(({ gpu, host, label, busyNs }) => [gpu, host, label, busyNs])).toEqual([
      [-1, 0, 'GPU · node1', 1 * MS],
      [-1, 1, 'GPU · node2', 2 * MS],
    ]);
  });

  test('two processes share it, and the kernels of one are not recorded: nothing is said of that GPU', () => {
    const jobs = [twoGpus(), new GpuJob(1)];
    jobs[1].copy();
    jobs[1].launch(2 * MS);
    const keeps = ({ process, kind }: { process?: number; kind?: number }) =>
      process === 0 || kind === 2;
    const told = gpuWorked(gpuTrace(jobs, { gpus: 2, keeps }));
    expect(told.map(({ label }) => label)).toEqual(['GPU 1']);
  });

  test('a collective is one by its mangled name too: it is no computing', () => {
    const trace = gpuTrace([twoGpus()], { gpus: 2 });
    const mangled =
      '_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE';
    const names = trace.names.map((name) => (name === 'gemm' ? mangled : name));
    expect(gpuWorked({ ...trace, names })[0]).toMatchObject({ busyNs: 5 * MS, computingNs: 0 });
  });

  test('without records of kernels nothing is said', () => {
    const job = twoGpus();
    job.copy();
    expect(gpuWorked(gpuTrace([job], { gpus: 2, keeps: ({ kind }) => kind === 2 }))).toEqual([]);
  });
});
