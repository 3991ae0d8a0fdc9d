import type { GpuBusy, GpuWorked, TraceSummary } from '../answers/summary.ts';
import { gpuLabel, hostLabel } from '../model/hosts.ts';
import type { Hardware, Provenance } from '../model/trace.ts';
import { formatShare } from '../text/units.ts';
import { provenanceWord } from './provenance-words.ts';

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

/** `GPU 1`, of a trace with one GPU `GPU`; of several hosts, where it is not known which GPU, `GPU · node2`. */
export function busyGpuName(
  { gpu, host }: Pick<GpuBusy, 'gpu' | 'host'>,
  hardware: Pick<Hardware, 'gpus' | 'hosts'>,
): string {
  if (host !== undefined) return `GPU · ${hostLabel(hardware, host)}`;
  return gpu < 0 || hardware.gpus.length < 2 ? 'GPU' : gpuLabel(hardware, gpu);
}

/** By its own records: the share it worked, and how that is known. */
export function workedFigure({ busyNs, computingNs, overNs, unknownNs }: GpuWorked): {
  readonly share: string;
  readonly note: string;
} {
  const isExact = unknownNs === 0;
  const least = isExact ? '' : '≥ ';
  const missing = `; in ${formatShare(unknownNs, overNs)} of that time records may be missing`;
  return {
    share: `${least}${formatShare(busyNs, overNs)}`,
    note: `computing ${least}${formatShare(computingNs, overNs)}; ${isExact ? 'exact, ' : ''}by its own records, from its first work to its last${isExact ? '' : missing}`,
  };
}

type Busy = Pick<TraceSummary, 'gpuBusy' | 'gpuWorked' | 'gpus' | 'hosts' | 'tables'>;

/** All in one line, by records and by samples: `62.3 % (0 %–100 %, sampled every 100 ms)`. Empty without either. */
export function busyText(summary: Busy): string {
  return [recordedText(summary), sampledText(summary)].filter((text) => text !== '').join('; ');
}

function recordedText({ gpuWorked = [] }: Busy): string {
  return gpuWorked
    .map((worked) => {
      const { share, note } = workedFigure(worked);
      return `${gpuWorked.length === 1 ? '' : `${worked.label}: `}${share} (${note})`;
    })
    .join('; ');
}

function sampledText(summary: Busy): string {
  if (summary.gpuBusy.length === 0) return '';
  const basis = busyBasis(summary.tables.sample.provenance);
  const isOne = summary.gpuBusy.length === 1;
  return summary.gpuBusy
    .map((busy) => {
      const name = isOne ? '' : `${busyGpuName(busy, summary)}: `;
      return `${name}${formatShare(busy.meanPercent, 100)} (${busyRange(busy)}, ${basis})`;
    })
    .join('; ');
}
