import { codeCell, escapeInline } from '../markdown/escape.ts';
import { hostLabel, knownModel, ofEachHost, ofHosts } from '../shared/model/hosts.ts';
import type { Gpu } from '../shared/model/trace.ts';
import { dateOfUnixNs } from '../shared/text/dates.ts';
import { formatBytes, formatDuration, plural } from '../shared/text/units.ts';
import { clockText } from '../shared/words/clock-words.ts';
import { busyText } from '../shared/words/gpu-busy-words.ts';
import { exact } from './exact.ts';
import type { ReportInput, Section } from './report-input.ts';
import { section } from './report-input.ts';
import { table, text } from './table.ts';

const NOT_RECORDED = 'not recorded';

/**
 * What ran where, and what recorded it. The short form has one row for all that was not recorded, and leaves out what only
 * computes with: whole nanoseconds, and that the host is hidden, which its last line says.
 */
export function environment(input: ReportInput): Section[] {
  const { name, summary, hidden, long } = input;
  const rows: InfoRow[] = [
    ['GPU', gpus(long ? summary.gpus : summary.gpus.filter((gpu) => knownModel(gpu) !== ''))],
    ['GPU busy', busyText(summary)],
    ['Driver', distinct(summary.gpus.map(({ driver }) => driver))],
    ['CUDA', ofHosts(summary, ({ cudaVersion }) => cudaVersion)],
    ['CPU', ofHosts(summary, ({ cpuModel }) => cpuModel)],
    ['Cores', ofEachHost(summary, ({ cpuCount }) => cpuCount?.toString())],
    [
      'Memory',
      ofEachHost(summary, ({ memoryBytes }) =>
        memoryBytes === undefined ? undefined : formatBytes(memoryBytes),
      ),
    ],
    ['Kernel', ofHosts(summary, ({ os, kernel }) => [os, kernel].filter(Boolean).join(', '))],
    ['Python', ofHosts(summary, ({ pythonVersion }) => pythonVersion)],
    ['Host', hidden ? hiddenHosts(summary) : ofHosts(summary, ({ hostname }) => hostname)],
    ['Clocks', clocksOf(summary)],
    ['Recorder', summary.recorder],
    ['File format', [summary.format, summary.version].filter(Boolean).join(' ')],
    ['Length', long ? exact(summary.lengthNs) : lengthOf(input)],
    ['Recorded at', recordedAt(summary.beginUnixNs, long)],
  ];
  const isTold = ([label, value]: InfoRow) => {
    if (label === 'Host' && hidden && summary.hosts.length === 1) return long;
    return label !== 'Clocks' || value !== undefined;
  };
  const told = rows.filter(isTold);
  const cells = (long ? told : unknownLast(told)).map(([label, value]) => [
    label,
    value ? escapeInline(value) : NOT_RECORDED,
  ]);
  return section('Environment', [
    table([text('What'), text('As recorded')], [['Trace', codeCell(name)], ...cells]),
  ]);
}

type InfoRow = readonly [label: string, value: string | undefined];

function unknownLast(rows: readonly InfoRow[]): InfoRow[] {
  const isKnown = ([, value]: InfoRow) => value !== undefined && value !== '';
  const unknown = rows.filter((row) => !isKnown(row)).map(([label]) => label);
  return [
    ...rows.filter(isKnown),
    ...(unknown.length === 0 ? [] : [[unknown.join(', '), undefined] as const]),
  ];
}

function hiddenHosts({ hosts }: ReportInput['summary']): string {
  return hosts.length > 1 ? `${hosts.length}, hidden` : 'hidden';
}

/** How well times of each host are known, where there are several. */
function clocksOf({ hosts, clocks }: ReportInput['summary']): string | undefined {
  return clocks?.map((clock, at) => `${hostLabel({ hosts }, at)}: ${clockText(clock)}`).join('; ');
}

/** Equal GPUs are counted: `8 × H100, 80.00 GiB`. */
function gpus(gpus: readonly Gpu[]): string {
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

function recordedAt(beginUnixNs: string, isExact: boolean): string | undefined {
  const date = dateOfUnixNs(beginUnixNs)?.toISOString();
  return date === undefined || !isExact ? date : `${date} (Unix ${beginUnixNs} ns)`;
}

/** `12.18 s, of which 10.55 s are judged: 557 steps`: what the shares of the answer are of. */
function lengthOf({ summary, facts: { diagnosis } }: ReportInput): string {
  const length = formatDuration(summary.lengthNs);
  const [only, ...others] = diagnosis?.ranks ?? [];
  if (diagnosis === undefined || only === undefined || others.length > 0) return length;
  if (only.steps.isSelection || !(diagnosis.windowNs > 0)) return length;
  const { count, infers } = only.steps;
  const counted = infers ? plural(count, 'batch', 'batches') : plural(count, 'step');
  const steps = count > 0 ? `: ${counted}` : '';
  return `${length}, of which ${formatDuration(diagnosis.windowNs)} are judged${steps}`;
}
