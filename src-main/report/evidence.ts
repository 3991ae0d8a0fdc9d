import { codeCell, codeSpan, escapeInline, escapeParagraph } from '../markdown/escape.ts';
import type { CallExplanation, WholeFileActivity } from '../shared/answers/explanation.ts';
import { isDurationKnown, type OperationStats } from '../shared/answers/operations.ts';
import { sizeBucketNames } from '../shared/model/size-bucket.ts';
import type { SourceFinding } from '../shared/model/trace.ts';
import { formatMoment } from '../shared/text/units.ts';
import { longestNs } from '../shared/words/count-text.ts';
import { onHost } from '../shared/words/on-host.ts';
import { RATIO_NOTE, severityText } from '../shared/words/source-findings.ts';
import { roleLabels } from '../shared/words/terms.ts';
import { exact } from './exact.ts';
import { type ReportInput, type Section, section } from './report-input.ts';
import { number, table, text } from './table.ts';

const MAX_OPERATIONS = 25;
const MAX_PROCESSES = 25;
const MAX_FINDINGS = 10;
const MAX_WORDS = 600;

/** The figures the finding rests on, and those beside it. */
export function evidence({ facts, summary }: ReportInput): Section[] {
  const { explanation, operations } = facts;
  return [
    ...section('Operations of the whole trace', [
      operations.length === 0 ? '' : operationTable(operations, explanation?.call.name),
      storedNote(operations),
    ]),
    ...(explanation === undefined ? [] : processes(explanation.wholeFile)),
    ...sourceFindings(summary.sourceFindings),
  ];
}

/** The statistics of the selected range. */
export function rangeSection({ facts }: ReportInput): Section[] {
  const { range } = facts;
  if (range === undefined) return [];
  const { startNs, endNs, operations } = range;
  return section('The selected range', [
    `From ${formatMoment(startNs)} (${startNs} ns) to ${formatMoment(endNs)} (${endNs} ns), ${exact(endNs - startNs)}. The count is of stored events at least partly in this range. The sum adds only their parts inside the range, and nested events count separately. Percentiles and maximum are of whole events.`,
    operations.length === 0 ? 'No event is in it.' : operationTable(operations),
  ]);
}

/** Those of the operation `first` stand first: they are the slow call's peers. */
function operationTable(operations: readonly OperationStats[], first?: string): string {
  const ordered = operations.toSorted(
    (a, b) => Number(b.name === first) - Number(a.name === first),
  );
  const areSeveral = operations.some(({ host }) => host !== undefined);
  const isSelection = operations.some(({ counted }) => counted !== undefined);
  return table(
    [
      ...(areSeveral ? [text('Host')] : []),
      text('Operation'),
      text('Source'),
      text('Direction'),
      text('Size'),
      number(isSelection ? 'Stored' : 'Count'),
      ...(isSelection ? [number('Happened')] : []),
      number(isSelection ? 'Sum ns of the stored' : 'Sum ns'),
      ...(isSelection ? [number('Sum ns of all')] : []),
      number('p50 ns'),
      number('p95 ns'),
      number('p99 ns'),
      number('Max ns'),
    ],
    ordered.map((stats) => [
      ...(areSeveral ? [escapeInline(stats.host ?? '')] : []),
      codeCell(stats.name),
      escapeInline(stats.source),
      stats.direction ?? '',
      stats.sizeBucket === undefined ? '' : escapeInline(sizeBucketNames[stats.sizeBucket] ?? ''),
      String(stats.count),
      ...(isSelection ? [happenedCount(stats)] : []),
      stats.onlySums ? '0' : cell(stats, stats.totalNs),
      ...(isSelection ? [happenedTime(stats)] : []),
      ...[stats.p50Ns, stats.p95Ns, stats.p99Ns, longestNs(stats)].map((ns) => cell(stats, ns)),
    ]),
    MAX_OPERATIONS,
  );
}

const cell = (stats: OperationStats, ns: number) => (isDurationKnown(stats, ns) ? String(ns) : '');

/** Rows that are a part of an operation don't tell: the recorder's sums know no direction and no size. */
function happenedCount({ count, counted }: OperationStats): string {
  if (counted === undefined) return String(count);
  return count === counted.stored ? String(counted.counted) : '';
}

function happenedTime(stats: OperationStats): string {
  const { count, counted, totalNs } = stats;
  if (counted === undefined) return cell(stats, totalNs);
  if (counted.totalNs === undefined || count !== counted.stored) return '';
  return `${counted.isAtLeast ? '≥ ' : ''}${counted.totalNs}`;
}

/** Which operations the file holds a selection of, each once, in words. */
function storedNote(operations: readonly OperationStats[]): string {
  const parts = new Map<string, string>();
  for (const { source, name, host, counted } of operations) {
    if (counted === undefined) continue;
    const where = onHost({ host: host && escapeInline(host) });
    const { stored, counted: all, storedNs = 0, totalNs, isAtLeast } = counted;
    const took = `${storedNs} ns of ${isAtLeast ? 'at least ' : ''}${totalNs} ns`;
    const time = totalNs === undefined ? '' : ` (${took})`;
    const words = `${codeSpan(name)}${where} ${stored} of ${all}${time}`;
    parts.set(JSON.stringify([source, name, host]), words);
  }
  const shown = [...parts.values()].slice(0, MAX_OPERATIONS);
  if (shown.length === 0) return '';
  const more = parts.size > shown.length ? ` and ${parts.size - shown.length} more` : '';
  return `The recorder’s own sums, over all sizes and directions, count more events than the file holds. Stored: ${shown.join(', ')}${more}. Percentiles are of the stored events; the maximum is the longest event that is stored or named in the sums.`;
}

function processes({ activity, note, ruledOut }: CallExplanation['wholeFile']): Section[] {
  if (activity.length === 0) return [];
  return section('What the processes did over the whole file', [
    ruledOut === undefined ? '' : `**${escapeInline(ruledOut)}**`,
    table(
      [
        text('Process'),
        number('pid'),
        text('Role'),
        number('Switches'),
        number('Off-CPU ns'),
        number('Longest ns'),
        number('Page allocations'),
        number('Bytes'),
      ],
      activity.map(processRow),
      MAX_PROCESSES,
    ),
    escapeParagraph(note),
  ]);
}

function processRow(entry: WholeFileActivity): string[] {
  const known = (value: number | undefined) => (value === undefined ? '' : String(value));
  return [
    codeCell(entry.name),
    [
      `${entry.pid}${onHost({ host: entry.host && escapeInline(entry.host) })}`,
      ...(entry.tid === undefined ? [] : [`tid ${entry.tid}`]),
    ].join(', '),
    roleLabels[entry.role],
    known(entry.switches),
    known(entry.offCpuNs),
    known(entry.longestOffCpuNs),
    known(entry.pageAllocations),
    known(entry.pageAllocationBytes),
  ];
}

/** The recording tool's own words: shown, never adopted. */
function sourceFindings(findings: readonly SourceFinding[]): Section[] {
  const [first] = findings;
  if (first === undefined) return [];
  const hasNodes = findings.some(({ node }) => node !== undefined);
  return section('What the recording tool found', [
    `In the words of ${escapeInline(first.foundBy)}, not checked by Stalltrace:`,
    table(
      [
        ...(hasNodes ? [text('Machine')] : []),
        text('Severity'),
        text('Slow'),
        text('Because of'),
        number('Times'),
        text('Of these'),
        text('In its words, the worst'),
      ],
      findings.map((finding) => [
        ...(hasNodes ? [escapeInline(finding.node ?? '')] : []),
        escapeInline(finding.severity),
        escapeInline(finding.ops.join(', ')),
        escapeInline(finding.causes.join(', ')),
        String(finding.occurrences.length),
        escapeInline(severityText(finding)),
        escapeInline(finding.summary.slice(0, MAX_WORDS)),
      ]),
      MAX_FINDINGS,
    ),
    `${RATIO_NOTE[0].toUpperCase()}${RATIO_NOTE.slice(1)}.`,
  ]);
}
