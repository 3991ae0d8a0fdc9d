import { expect, test } from 'vitest';
import { gpuTrace } from '../testing/gpu-job.ts';
import { pageable, takingTurns } from '../testing/gpu-jobs.ts';
import { operationStats } from './operations.ts';

test('copies have the rate and the memory that the GPU recorded, as calls and as its own work', () => {
  for (const [job, memory, rate] of [
    [pageable(), 'pageable', 5],
    [takingTurns(), 'pinned', 20],
  ] as const) {
    const stats = operationStats(gpuTrace([job]), { bySize: false });
    const copies = stats.filter(({ direction }) => direction === 'H2D');
    expect(copies.map(({ name }) => name)).toEqual(['cudaMemcpyAsync', 'Memcpy HtoD']);
    for (const { recorded } of copies) {
      expect(recorded).toMatchObject({ count: 30, [memory]: 30 });
      expect(recorded?.bytesPerNs).toBeCloseTo(rate);
    }
    expect(stats.find(({ name }) => name === 'cudaLaunchKernel')?.recorded).toBeUndefined();
  }
});
