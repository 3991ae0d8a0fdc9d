import type { GpuBusy } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** What recorders call the share of time in which a kernel ran on a GPU. */
const UTILISATION = /^gpu utili[sz]ation \(%\)$/i;

/**
 * How busy each GPU was by the samples of its utilisation, in order of the GPUs; none where there are
 * no such samples. Recorders sample at equal distances, so that the mean of the samples is the mean
 * over the time that was sampled; what lies in a gap between them is not guessed.
 */
export function gpuBusy({ tables, names }: Pick<Trace, 'tables' | 'names'>): GpuBusy[] {
  const { rows, columns } = tables.sample;
  const isUtilisation = names.map((name) => UTILISATION.test(name));
  const sums = new Map<number, { samples: number; sum: number; min: number; max: number }>();
  for (let row = 0; row < rows; row++) {
    const value = columns.value[row];
    if (!isUtilisation[columns.metric[row]] || !Number.isFinite(value)) continue;
    const gpu = columns.gpu?.[row] ?? -1;
    const known = sums.get(gpu) ?? { samples: 0, sum: 0, min: value, max: value };
    sums.set(gpu, known);
    known.samples++;
    known.sum += value;
    known.min = Math.min(known.min, value);
    known.max = Math.max(known.max, value);
  }
  return [...sums]
    .map(([gpu, { samples, sum, min, max }]) => ({
      gpu,
      samples,
      meanPercent: sum / samples,
      minPercent: min,
      maxPercent: max,
    }))
    .toSorted((a, b) => a.gpu - b.gpu);
}
