import { codeCell, escapeInline } from '../markdown/escape.ts';
import { busyText } from '../shared/answers/gpu-busy.ts';
import type { Machine } from '../shared/model/trace.ts';
import { dateOfUnixNs } from '../shared/text/dates.ts';
import { formatBytes, formatDuration } from '../shared/text/units.ts';
import type { ReportInput, Section } from './report-input.ts';
import { section } from './report-input.ts';
import { table, text } from './table.ts';

const NOT_RECORDED = 'not recorded';

/** What ran where, and what recorded it. */
export function environment({ name, summary, hidden }: ReportInput): Section[] {
  const { machine } = summary;
  const rows: (readonly [label: string, value: string | undefined])[] = [
    ['GPU', gpus(machine)],
    ['GPU busy', busyText(summary)],
    ['Driver', distinct(machine.gpus.map(({ driver }) => driver))],
    ['CUDA', machine.cudaVersion],
    ['CPU', machine.cpuModel],
    ['Cores', machine.cpuCount?.toString()],
    ['Memory', machine.memoryBytes === undefined ? undefined : formatBytes(machine.memoryBytes)],
    ['Kernel', [machine.os, machine.kernel].filter(Boolean).join(', ')],
    ['Python', machine.pythonVersion],
    ['Host', hidden ? 'hidden' : machine.hostname],
    ['Recorder', summary.recorder],
    ['File format', [summary.format, summary.version].filter(Boolean).join(' ')],
    ['Length', `${formatDuration(summary.lengthNs)} (${summary.lengthNs} ns)`],
    ['Recorded at', recordedAt(summary.beginUnixNs)],
  ];
  const cells = rows.map(([label, value]) => [label, value ? escapeInline(value) : NOT_RECORDED]);
  return section('Environment', [
    table([text('What'), text('As recorded')], [['Trace', codeCell(name)], ...cells]),
  ]);
}

/** Equal GPUs are counted: `8 × H100, 80.00 GiB`. */
function gpus({ gpus }: Machine): string {
  const counts = new Map<string, number>();
  for (const { model, memoryBytes } of gpus) {
    const one = memoryBytes === undefined ? model : `${model}, ${formatBytes(memoryBytes)}`;
    counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return [...counts].map(([one, count]) => (count > 1 ? `${count} × ${one}` : one)).join('; ');
}

function distinct(values: readonly (string | undefined)[]): string {
  return [...new Set(values.filter((value) => value !== undefined))].join(', ');
}

function recordedAt(beginUnixNs: string): string | undefined {
  const date = dateOfUnixNs(beginUnixNs);
  return date === undefined ? undefined : `${date.toISOString()} (Unix ${beginUnixNs} ns)`;
}
