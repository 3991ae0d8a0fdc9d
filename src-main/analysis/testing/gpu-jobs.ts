import { allReduce, GpuJob, MS, US } from './gpu-job.ts';

/** Training loops whose GPU waits for one thing each, of 30 steps; what that is follows from the lines. */

const STEPS = 30;

function loop(step: (job: GpuJob, at: number) => void, process = 0): GpuJob {
  const job = new GpuJob(process);
  for (let at = 0; at < STEPS; at++) {
    step(job, at);
    job.step();
  }
  return job;
}

/** The loader takes 12 ms, the GPU 5 ms. */
export const starved = () =>
  loop((job) => {
    job.input(12 * MS);
    job.copy({ mib: 2, pinned: true });
    for (let kernel = 0; kernel < 10; kernel++) job.launch(500 * US);
    job.item();
    job.host(100 * US);
  });

/** The loop waits for input for half of its time, but the GPU has work for longer than that. */
export const gpuBound = () =>
  loop((job, at) => {
    job.input(6 * MS);
    job.copy({ mib: 2, pinned: true, stream: 1 });
    for (let kernel = 0; kernel < 10; kernel++) job.launch(1.2 * MS);
    if (at % 2 === 1) job.sync(1);
    job.host(20 * US);
  });

/** Each batch is copied from pageable memory in 13 ms, behind the kernels of the one before. */
export const pageable = () =>
  loop((job) => {
    job.input(500 * US);
    job.copy({ mib: 64 });
    for (let kernel = 0; kernel < 10; kernel++) job.launch(1 * MS);
    job.host(100 * US);
  });

/** The next batch is copied from pinned memory on a second stream, beside the kernels of this one. */
export const overlapped = () =>
  loop((job) => {
    job.input(500 * US);
    job.waitStream(0, 1);
    job.copy({ mib: 64, pinned: true, stream: 1 });
    for (let kernel = 0; kernel < 10; kernel++) job.launch(1 * MS);
    job.item();
  });

/** Pinned, but on the stream of the kernels: the two take turns. */
export const takingTurns = () =>
  loop((job) => {
    job.input(200 * US);
    job.copy({ mib: 64, pinned: true });
    for (let kernel = 0; kernel < 10; kernel++) job.launch(500 * US);
    job.item();
  });

/** Every kernel's result is read before the next is launched. */
export const syncHeavy = () =>
  loop((job) => {
    job.input(100 * US);
    job.copy({ mib: 1, pinned: true });
    for (let kernel = 0; kernel < 20; kernel++) {
      job.launch(100 * US);
      job.host(60 * US);
      job.item();
      job.host(150 * US);
    }
  });

/** After each wait for the GPU its thread gets no CPU for 4 ms. */
export const lateBack = () =>
  loop((job) => {
    job.input(100 * US);
    job.copy({ mib: 1, pinned: true });
    for (let kernel = 0; kernel < 10; kernel++) job.launch(500 * US);
    job.sync(0, 4 * MS);
  });

/** Kernels of 4 µs, launched every 20 µs. */
export const launchBound = () =>
  loop((job) => {
    job.input(100 * US);
    job.copy({ mib: 1, pinned: true });
    for (let kernel = 0; kernel < 400; kernel++) {
      job.launch(4 * US);
      job.host(15 * US);
    }
    job.item();
  });

/** All work of a step is one graph, in which nobody sees the copies. */
export const graphs = () =>
  loop((job) => {
    job.input(200 * US);
    job.graph(8 * MS);
    job.item();
  });

/** One process with work for the first of two GPUs, and a kernel now and then for the second. */
export const unevenGpus = () =>
  loop((job) => {
    job.input(100 * US);
    for (let kernel = 0; kernel < 10; kernel++) job.launch(1 * MS);
    job.launch(200 * US, 16);
    job.item();
  });

/** A copy to GPU 0 that waits in each step for a kernel of 20 ms on GPU 1. */
export const heldByOtherGpu = () =>
  loop((job) => {
    job.input(100 * US);
    job.launch(20 * MS, 16);
    job.waitStream(0, 16);
    job.copy({ mib: 20 });
    job.launch(1 * MS);
    job.item();
  });

/** A rank on GPU 1 that waits for its loader, beside one on GPU 0 that does not. */
export const unevenRanks = (): GpuJob[] => [
  loop((job) => {
    job.input(100 * US);
    for (let kernel = 0; kernel < 10; kernel++) job.launch(1 * MS);
    job.item();
  }),
  loop((job) => {
    job.input(8 * MS);
    for (let kernel = 0; kernel < 4; kernel++) job.launch(500 * US, 16);
    job.item(16);
  }, 1),
];

/**
 * Three ranks, each with a GPU, that reduce their gradients after 2 ms of kernels; rank 1 waits for input `lateNs` longer. The
 * loop waits for its GPU only at the end of a step, behind the collective.
 */
export const rankReadsSlowly = (lateNs = 10 * MS): GpuJob[] => {
  const ranks = [new GpuJob(0), new GpuJob(1), new GpuJob(2)];
  for (let step = 0; step < STEPS; step++) {
    ranks.forEach((job, rank) => {
      job.input(rank === 1 ? 500 * US + lateNs : 500 * US);
      for (let kernel = 0; kernel < 4; kernel++) job.launch(500 * US, rank * 16);
    });
    allReduce(ranks, 200 * US);
    ranks.forEach((job, rank) => {
      job.launch(100 * US, rank * 16);
      job.sync(rank * 16);
      job.step();
    });
  }
  return ranks;
};
