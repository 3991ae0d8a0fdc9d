import type { TraceSummary } from '../../../src-main/shared/answers/summary.ts';
import { hostLabel, ofEachHost, ofHosts } from '../../../src-main/shared/model/hosts.ts';
import type { Gpu, Host } from '../../../src-main/shared/model/trace.ts';
import { formatUnixNs } from '../../../src-main/shared/text/dates.ts';
import { formatBytes, formatDuration, plural } from '../../../src-main/shared/text/units.ts';
import { clockText } from '../../../src-main/shared/words/clock-words.ts';

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** What the file says of itself and its machine; what it does not say is left out. */
export function fileFacts(summary: TraceSummary): Fact[] {
  const facts: [label: string, value: string | undefined][] = [
    ['Format', [summary.format, summary.version].filter(Boolean).join(' ')],
    ['Recorder', summary.recorder],
    ['Recorded', formatUnixNs(summary.beginUnixNs)],
    ['Length', formatDuration(summary.lengthNs)],
    ...machineFacts(summary),
  ];
  return facts.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value }],
  );
}

function machineFacts(summary: TraceSummary): [label: string, value: string][] {
  const of = (factOf: (host: Host) => string | undefined) => ofHosts(summary, factOf);
  return [
    ['Machine', of(({ hostname }) => hostname)],
    ['GPU', gpuText(summary.gpus)],
    ['Driver', distinct(summary.gpus.map((gpu) => gpu.driver))],
    ['CUDA', of(({ cudaVersion }) => cudaVersion)],
    ['Kernel', of(({ os, kernel }) => [os, kernel].filter(Boolean).join(' · '))],
    ['CPU', ofEachHost(summary, cpuText)],
    [
      'Memory',
      ofEachHost(summary, ({ memoryBytes }) =>
        memoryBytes === undefined ? undefined : formatBytes(memoryBytes),
      ),
    ],
    ['Clocks', clocksOf(summary)],
    ['Python', of(({ pythonVersion }) => pythonVersion)],
  ];
}

/** How well times of each machine are known, where there are several. */
function clocksOf(summary: TraceSummary): string {
  return (summary.clocks ?? [])
    .map((clock, at) => `${hostLabel(summary, at)}: ${clockText(clock)}`)
    .join('; ');
}

function cpuText({ cpuCount, cpuModel }: Host): string {
  const count = cpuCount === undefined ? undefined : plural(cpuCount, 'CPU');
  return [count, cpuModel].filter(Boolean).join(' · ');
}

/** Equal GPUs are counted: `8 × H100, 80.00 GiB`. */
function gpuText(gpus: readonly Gpu[]): string {
  const counts = new Map<string, number>();
  for (const { model, memoryBytes } of gpus) {
    const text = memoryBytes === undefined ? model : `${model}, ${formatBytes(memoryBytes)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count > 1 ? `${count} × ${text}` : text)).join('; ');
}

function distinct(values: readonly (string | undefined)[]): string {
  return [...new Set(values.filter((value) => value !== undefined))].join(', ');
}
