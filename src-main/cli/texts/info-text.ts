import { isDurationKnown, type OperationStats } from '../../shared/answers/operations.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { hostLabel, machinesOf, ofEachHost, ofHosts } from '../../shared/model/hosts.ts';
import { outsideJob } from '../../shared/model/outside-job.ts';
import { drivesGpu, type Host } from '../../shared/model/trace.ts';
import { dateOfUnixNs } from '../../shared/text/dates.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes, formatCount, formatDuration, plural } from '../../shared/text/units.ts';
import { clockText } from '../../shared/words/clock-words.ts';
import { bytesText, countText, longestNs, totalText } from '../../shared/words/count-text.ts';
import { busyText } from '../../shared/words/gpu-busy-words.ts';
import { onHost } from '../../shared/words/on-host.ts';
import { RATIO_NOTE, sourceFindingText } from '../../shared/words/source-findings.ts';
import { wayLabel } from '../../shared/words/way-words.ts';
import { align } from './align.ts';
import { notRealLines } from './not-real.ts';
import type { TraceInfo } from './trace-info.ts';

/** What `info` prints for a person: names from the trace cleaned, columns aligned. */
export function infoText(info: Omit<TraceInfo, 'nativeCode'>): string {
  const { path, sizeBytes, summary, operations } = info;
  const areSeveral = summary.hosts.length > 1;
  return [
    `${cleanText(path, 4096)} (${formatBytes(sizeBytes)})`,
    ...notRealLines(summary),
    '',
    ...factLines(summary),
    ...hostLines(summary),
    '',
    'Operations',
    ...align([
      [...(areSeveral ? ['host'] : []), ...OPERATION_HEADS],
      ...operations.map((stats) => [
        ...(areSeveral ? [stats.host ?? ''] : []),
        ...operationCells(stats),
      ]),
    ]),
    ...countLines(operations),
    '',
    'Tables',
    ...align(tableRows(summary)),
    ...capabilityLines(summary),
    ...findingLines(summary),
    ...summary.notices.flatMap(({ level, text }) => ['', `${level}: ${text}`]),
  ].join('\n');
}

function factLines(summary: TraceSummary): string[] {
  const gpus = summary.gpus.map(({ model, driver }) =>
    driver === undefined ? model : `${model}, driver ${driver}`,
  );
  const facts: [string, string | undefined][] = [
    ['format', `${summary.format} ${summary.version}`],
    ['recorder', summary.recorder],
    ['host', ofHosts(summary, ({ hostname }) => hostname)],
    ['GPU', gpus.length > 0 ? gpus.join('; ') : undefined],
    ['GPU busy', busyText(summary)],
    ['CUDA', ofHosts(summary, ({ cudaVersion }) => cudaVersion)],
    ['CPU', ofEachHost(summary, cpuText)],
    [
      'memory',
      ofEachHost(summary, ({ memoryBytes }) =>
        memoryBytes === undefined ? undefined : formatBytes(memoryBytes),
      ),
    ],
    ['system', ofHosts(summary, ({ os, kernel }) => [os, kernel].filter(Boolean).join(', '))],
    ['begin', dateOfUnixNs(summary.beginUnixNs)?.toISOString()],
    ['length', formatDuration(summary.lengthNs)],
    ['processes', processesText(summary)],
  ];
  return facts
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name.padEnd(10)} ${cleanText(value ?? '')}`);
}

/** The hosts of a trace of several, each with what it has. */
function hostLines(summary: TraceSummary): string[] {
  const machines = machinesOf(summary);
  if (machines.length === 1) return [];
  const counts = machines.map(() => 0);
  for (const { host = 0 } of summary.processes) counts[host]++;
  return [
    '',
    'Hosts',
    ...align([
      ['name', 'processes', 'GPUs', 'CPUs', 'system', 'clock'],
      ...machines.map((machine, at) => [
        hostLabel(summary, at),
        formatCount(counts[at]),
        machine.gpus.map(({ model }) => model).join('; '),
        cpuText(machine) ?? '',
        [machine.os, machine.kernel].filter(Boolean).join(', '),
        clockOf(summary, at),
      ]),
    ]),
  ];
}

function clockOf({ clocks }: TraceSummary, host: number): string {
  const clock = clocks?.[host];
  return clock === undefined ? '' : clockText(clock);
}

function cpuText({ cpuModel, cpuCount }: Host): string | undefined {
  if (cpuCount === undefined) return cpuModel;
  return `${cpuModel ?? ''} (${plural(cpuCount, 'CPU')})`.trim();
}

/** `165, of them 156 outside the job; ranks 0, 1 of 2`. */
function processesText({ processes }: TraceSummary): string {
  const outside = outsideJob(processes).filter(Boolean).length;
  const mains = processes.filter(({ role }) => drivesGpu(role));
  const ranks = mains.flatMap(({ rank }) => rank ?? []).toSorted((a, b) => a - b);
  const of = mains.find(({ worldSize }) => worldSize !== undefined)?.worldSize;
  return [
    `${formatCount(processes.length)}${outside === 0 ? '' : `, of them ${formatCount(outside)} outside the job`}`,
    ...(ranks.length === 0
      ? []
      : [`rank ${ranks.join(', ')}${of === undefined ? '' : ` of ${of}`}`]),
  ].join('; ');
}

const OPERATION_HEADS = 'source name direction count bytes total p50 p95 p99 max'.split(' ');

/** In characters; the names of kernels of C++ templates have thousands. */
const MAX_OPERATION = 80;

function operationCells(stats: OperationStats): string[] {
  return [
    stats.source,
    cleanText(stats.shortName ?? stats.name, MAX_OPERATION),
    stats.direction ?? '',
    countText(stats),
    bytesText(stats),
    totalText(stats),
    ...[stats.p50Ns, stats.p95Ns, stats.p99Ns, longestNs(stats)].map((ns) =>
      isDurationKnown(stats, ns) ? formatDuration(ns) : '',
    ),
  ];
}

/** What happened and the file does not hold, and how that is known. */
function countLines(operations: readonly OperationStats[]): string[] {
  if (operations.every(({ counted }) => counted === undefined)) return [];
  return [
    '',
    '  “16 of 30”: 16 are stored in the file, 30 happened by the recorder’s own sums; bytes and total read',
    '  the same way. “≥ 8”: 8 are stored; the sums do not say how many there were of this direction.',
    '  p50, p95 and p99 are of what is stored; max is the longest that is stored or that the sums name.',
    ...(operations.some(({ onlySums }) => onlySums)
      ? ['  “0 of 30”: the recorder kept sums only. What they do not tell is left empty.']
      : []),
    ...wholeLines(operations),
  ];
}

/** Operations of which each row is a part, each once as a whole. */
function wholeLines(operations: readonly OperationStats[]): string[] {
  const lines = operations.flatMap(({ name, host, count, counted }) => {
    if (counted === undefined || count === counted.stored) return [];
    const whole = { count: counted.stored, counted, totalNs: counted.storedNs ?? 0, maxNs: -1 };
    const time = counted.totalNs === undefined ? '' : `, ${totalText(whole)}`;
    return `  ${cleanText(name)}${onHost({ host })}, all directions: ${countText(whole)}${time}`;
  });
  return [...new Set(lines)];
}

function tableRows(summary: TraceSummary): string[][] {
  return Object.entries(summary.tables).map(([name, { rows, provenance }]) => [
    name,
    formatCount(rows),
    provenance.kind,
    provenance.note,
  ]);
}

/** What the recorder could not use first, as on the screen. */
function capabilityLines({ capabilities }: TraceSummary): string[] {
  if (capabilities.length === 0) return [];
  const ordered = capabilities.toSorted((a, b) => Number(a.available) - Number(b.available));
  return [
    '',
    'What the recorder could use',
    ...align(
      ordered.map(({ name, available, detail }) => [
        wayLabel(name),
        available ? 'yes' : 'no',
        detail,
      ]),
    ),
  ];
}

/** What the recording tool claims; nothing where it claims nothing. */
export function findingLines(
  { sourceFindings }: Pick<TraceSummary, 'sourceFindings'>,
  withWords = false,
): string[] {
  if (sourceFindings.length === 0) return [];
  const hasRatios = sourceFindings.some(({ occurrences }) =>
    occurrences.some(({ ratio }) => ratio !== undefined),
  );
  return [
    '',
    'Found by the recording tool (its claims, not Stalltrace’s)',
    ...sourceFindings.flatMap((finding) => [
      `  ${cleanText(sourceFindingText(finding), 600)}`,
      ...(withWords ? [`    ${cleanText(finding.summary, 600)}`] : []),
    ]),
    ...(hasRatios ? ['', `  ${RATIO_NOTE}`] : []),
  ];
}
