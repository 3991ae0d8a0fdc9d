import type { GpuBusy } from '../../shared/answers/summary.ts';
import { hostOfSample } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** What recorders call the share of time in which a kernel ran on a GPU. */
const UTILISATION = /^gpu utili[sz]ation \(%\)$/i;

interface Sum {
  samples: number;
  sum: number;
  min: number;
  max: number;
}

/**
 * How busy each GPU was by the samples of its utilisation, in order of the GPUs; none where there are
 * no such samples. Recorders sample at equal distances, so that the mean of the samples is the mean
 * over the time that was sampled; what lies in a gap between them is not guessed.
 */
export function gpuBusy(trace: Pick<Trace, 'tables' | 'names' | 'hosts' | 'gpus'>): GpuBusy[] {
  const { names, hosts } = trace;
  const { rows, columns } = trace.tables.sample;
  const isUtilisation = names.map((name) => UTILISATION.test(name));
  const sums = new Map<number, Sum>();
  for (let row = 0; row < rows; row++) {
    const value = columns.value[row];
    if (!isUtilisation[columns.metric[row]] || !Number.isFinite(value)) continue;
    const gpu = columns.gpu?.[row] ?? NONE;
    // Below 0, the host of those whose GPU is not known: what two hosts ran has no mean.
    const key = gpu >= 0 ? gpu : -1 - hostOfSample(trace, row);
    const known = sums.get(key) ?? { samples: 0, sum: 0, min: value, max: value };
    sums.set(key, known);
    known.samples++;
    known.sum += value;
    known.min = Math.min(known.min, value);
    known.max = Math.max(known.max, value);
  }
  return [...sums]
    .toSorted(([a], [b]) => Math.max(a, NONE) - Math.max(b, NONE) || b - a)
    .map(([key, { samples, sum, min, max }]) => ({
      gpu: Math.max(key, NONE),
      ...(key < 0 && hosts.length > 1 && { host: -1 - key }),
      samples,
      meanPercent: sum / samples,
      minPercent: min,
      maxPercent: max,
    }));
}
