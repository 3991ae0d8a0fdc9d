import type { Machine, Provenance } from './model/trace.ts';
import { provenanceWord } from './provenance-words.ts';
import type { TraceSummary } from './summary.ts';
import { formatShare } from './units.ts';

/** How busy one GPU was: over its utilisation samples, each a share of the time before it, in percent. */
export interface GpuBusy {
  /** Index into the machine's gpus, -1 = the source doesn't say which. */
  readonly gpu: number;
  readonly samples: number;
  readonly meanPercent: number;
  readonly minPercent: number;
  readonly maxPercent: number;
}

/** `0 %–100 %`. */
export function busyRange({ minPercent, maxPercent }: GpuBusy): string {
  return `${formatShare(minPercent, 100)}–${formatShare(maxPercent, 100)}`;
}

/** `sampled every 100 ms`. A mean of samples is never exact, whatever the samples are. */
export function busyBasis({ kind, everyNs }: Provenance): string {
  return provenanceWord({
    kind: kind === 'exact' ? 'sampled' : kind,
    ...(everyNs !== undefined && { everyNs }),
  });
}

/** `GPU 1`, of a machine with one GPU `GPU`. */
export function busyGpuName(gpu: number, { gpus }: Machine): string {
  return gpu < 0 || gpus.length < 2 ? 'GPU' : `GPU ${gpu}`;
}

/** All in one line, empty without samples: `62.3 % (0 %–100 %, sampled every 100 ms)`. */
export function busyText(summary: Pick<TraceSummary, 'gpuBusy' | 'machine' | 'tables'>): string {
  if (summary.gpuBusy.length === 0) return '';
  const basis = busyBasis(summary.tables.sample.provenance);
  const isOne = summary.gpuBusy.length === 1;
  return summary.gpuBusy
    .map((busy) => {
      const name = isOne ? '' : `${busyGpuName(busy.gpu, summary.machine)}: `;
      return `${name}${formatShare(busy.meanPercent, 100)} (${busyRange(busy)}, ${basis})`;
    })
    .join('; ');
}
