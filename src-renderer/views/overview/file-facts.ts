import type { TraceSummary } from '../../../src-main/shared/answers/summary.ts';
import type { Machine } from '../../../src-main/shared/model/trace.ts';
import { formatUnixNs } from '../../../src-main/shared/text/dates.ts';
import { formatBytes, formatDuration } from '../../../src-main/shared/text/units.ts';

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
    ...machineFacts(summary.machine),
  ];
  return facts.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value }],
  );
}

function machineFacts(machine: Machine): [label: string, value: string | undefined][] {
  const { cpuCount, cpuModel, memoryBytes } = machine;
  const cpus = [cpuCount === undefined ? undefined : `${cpuCount} CPUs`, cpuModel];
  return [
    ['Machine', machine.hostname],
    ['GPU', gpuText(machine.gpus)],
    ['Driver', distinct(machine.gpus.map((gpu) => gpu.driver))],
    ['CUDA', machine.cudaVersion],
    ['Kernel', [machine.os, machine.kernel].filter(Boolean).join(' · ')],
    ['CPU', cpus.filter(Boolean).join(' · ')],
    ['Memory', memoryBytes === undefined ? undefined : formatBytes(memoryBytes)],
    ['Python', machine.pythonVersion],
  ];
}

/** Equal GPUs are counted: `8 × H100, 80.00 GiB`. */
function gpuText(gpus: Machine['gpus']): string {
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
