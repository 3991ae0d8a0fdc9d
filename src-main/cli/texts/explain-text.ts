import type { CannotTell } from '../../shared/answers/basis.ts';
import type { Diagnosis, Experiment, Finding } from '../../shared/answers/diagnosis.ts';
import type { AccountingPart, CallExplanation } from '../../shared/answers/explanation.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import {
  type ChainSegment,
  type ChainSum,
  MAX_READ_SEGMENTS,
  type WaitChain,
} from '../../shared/answers/wait-chain.ts';
import { shareTexts } from '../../shared/text/shares.ts';
import { cleanText } from '../../shared/text/text.ts';
import {
  formatCount,
  formatDuration,
  formatMoment,
  formatRate,
  formatShare,
  plural,
} from '../../shared/text/units.ts';
import { isCopy, NO_FIX } from '../../shared/words/call-text.ts';
import { segmentsText } from '../../shared/words/chain-words.ts';
import { costText, gainText } from '../../shared/words/cost-words.ts';
import {
  EFFECTIVE_RATE,
  effectiveRateNote,
  meanwhileLabels,
  meanwhileNames,
  meanwhileTitle,
} from '../../shared/words/gpu-meanwhile-words.ts';
import { gpuTimeLines } from '../../shared/words/gpu-time-words.ts';
import { gpuWorkLine } from '../../shared/words/gpu-work-words.ts';
import { hostTimeLines } from '../../shared/words/host-time-words.ts';
import { hotLineShare } from '../../shared/words/hot-line-words.ts';
import { inputTimeLines } from '../../shared/words/input-time-words.ts';
import { onHost } from '../../shared/words/on-host.ts';
import { costsNote, judgedTime, phaseRows, selectionNote } from '../../shared/words/phase-rows.ts';
import { type RankTable, rankCellText, rankTables } from '../../shared/words/rank-table.ts';
import { stepLengths } from '../../shared/words/step-lengths.ts';
import { partText, proofLabels } from '../../shared/words/terms.ts';
import { align } from './align.ts';
import { findingLines as toolLines } from './info-text.ts';
import { type NotReal, notRealLines } from './not-real.ts';

/** What `explain FILE` prints for a person. */
export function explainTraceText(
  diagnosis: Diagnosis,
  told: Pick<TraceSummary, 'notices' | 'sourceFindings'> & NotReal,
): string {
  const { headline, ranks, findings, cannotTell, clues } = diagnosis;
  return [
    ...notRealLines(told),
    ...clueLines(clues),
    cleanText(headline, 2_000),
    ...rankTables(diagnosis).flatMap(rankTableLines),
    ...ranks.flatMap((rank) => rankLines(rank, ranks.length, headline)),
    ...costLines(diagnosis),
    ...findings.flatMap((finding) => findingLines(finding, ranks)),
    ...openLines(cannotTell),
    ...toolLines(told, true),
    ...told.notices.flatMap(({ level, text }) => ['', `${level}: ${cleanText(text, 1_000)}`]),
  ].join('\n');
}

/** Before what cannot be told: what points at a cause. */
function clueLines(clues: Diagnosis['clues'] = []): string[] {
  if (clues.length === 0) return [];
  const lines = clues.map(({ text, detail }) => `  - ${cleanText(`${text}. ${detail}`, 600)}`);
  return ['Nothing is proven. The strongest evidence:', ...lines, ''];
}

/** One row a rank. */
function rankTableLines({ title, columns, rows }: RankTable): string[] {
  const cells = rows.map((row) => [row.label, ...row.cells.map(rankCellText)]);
  return ['', title, ...align([columns, ...cells])];
}

/** What the time of one rank's loop went to; nothing but its sentence where no call of it is stored. */
function rankLines(told: Diagnosis['ranks'][number], ranks: number, headline: string): string[] {
  const { rank, sentence, steps, inputKnown } = told;
  // What was said just above is not said again.
  const isSaid = (ranks > 1 ? sentence : headline).includes(steps.note);
  const isStored = steps.window[1] > steps.window[0];
  return [
    '',
    ...(ranks > 1 ? [`${cleanText(rank.label)}: ${cleanText(sentence, 2_000)}`] : []),
    ...(isStored
      ? align(
          phaseRows({ steps, inputKnown }).map(({ label, share, duration }) =>
            steps.isSelection ? [label, share || duration] : [label, share, duration],
          ),
        )
      : []),
    ...(isStored && steps.isSelection ? [selectionNote(steps.window)] : []),
    ...gpuTimeLines(told).map((line) => cleanText(line, 1_000)),
    ...[inputTimeLines(told), hostTimeLines(told)].flatMap((lines) =>
      lines.map((line, at) => `${at === 0 ? '' : '  '}${cleanText(line, 1_000)}`),
    ),
    ...(steps.typical?.kinds === undefined ? [] : [stepLengths(steps)]),
    ...(isSaid ? [] : [cleanText(steps.note, 600)]),
  ];
}

function costLines(diagnosis: Diagnosis): string[] {
  const { costs, windowNs, isSelection } = diagnosis;
  const note = costsNote(diagnosis);
  if (costs.length === 0) return [];
  return [
    '',
    isSelection
      ? 'What the time around the stored calls went to'
      : `What the time went to, of ${judgedTime(diagnosis)}`,
    ...align(
      costs.map(({ label, ns }) => [
        cleanText(label),
        formatDuration(ns),
        ...(isSelection ? [] : [formatShare(ns, windowNs)]),
      ]),
    ),
    ...(note === '' ? [] : [note]),
  ];
}

function findingLines(finding: Finding, ranks: Diagnosis['ranks'] = []): string[] {
  const { id, title, severity, confidence, costNs, sentence } = finding;
  const { evidence, fix, experiment } = finding;
  const cost = costNs > 0 ? cleanText(costText(finding, ranks)) : 'no cost shown';
  const gain = costNs > 0 ? gainText(finding) : '';
  return [
    '',
    `${severity.toUpperCase()} ${cleanText(title)} [${id}, ${confidence}, ${cost}]`,
    `  ${cleanText(sentence, 1_000)}`,
    ...evidence.map(({ text, basis }) => `  - ${cleanText(text, 600)} (${basis})`),
    ...finding.hotLines.slice(0, 5).map((line) => `  - ${lineText(line)}: ${hotLineShare(line)}`),
    `  Fix: ${cleanText(fix.title)}. ${cleanText(fix.text, 1_000)}`,
    ...(gain === '' ? [] : [`  It ${cleanText(gain)}.`]),
    ...fix.after.split('\n').map((line) => `      ${cleanText(line)}`),
    ...(experiment === undefined ? [] : experimentLines(id, experiment)),
  ];
}

function experimentLines(id: string, { expects, capture }: Experiment): string[] {
  return [
    `  To confirm it: ${cleanText(expects, 600)}`,
    `      ${cleanText(capture, 4_000)}`,
    `      stalltrace confirm ${id} BEFORE AFTER`,
  ];
}

function lineText({ function: name, file, line }: Finding['hotLines'][number]): string {
  return cleanText(`${name} (${file}:${line})`);
}

/** What `explain FILE --slowest OP` prints for a person; `all`: however long a list is. */
export function explainCallText(
  explanation: CallExplanation,
  told: NotReal = {},
  all = false,
): string {
  const { call, headline, accounting, contention, waitChain, memory, fixes, cannotTell } =
    explanation;
  return [
    ...notRealLines(told),
    `${cleanText(call.name)}${cleanText(onHost(call))} at ${formatMoment(call.startNs)}, ${formatDuration(call.durationNs)}`,
    cleanText(headline, 1_000),
    '',
    'Where its time went',
    ...partLines(accounting),
    ...(contention.contenders.length === 0 ? [] : ['', 'Who ran meanwhile']),
    ...align(
      contention.contenders.map(({ name, lineage, pid, host, ns, cpus }) => [
        cleanText([name, `pid ${pid}${onHost({ host })}`, lineage].filter(Boolean).join(' · ')),
        formatDuration(ns),
        `CPU ${cpus.map(({ cpu }) => cpu).join(', ')}`,
      ]),
    ),
    '',
    ...chainLines(waitChain, all),
    ...faultLines(memory),
    ...copyLines(explanation),
    ...meanwhileLines(explanation),
    ...gpuLines(explanation.gpuWork),
    ...(fixes.length === 0 ? ['', NO_FIX] : fixes.flatMap((fix) => findingLines(fix))),
    ...openLines(cannotTell),
  ].join('\n');
}

function partLines(parts: readonly AccountingPart[]): string[] {
  const shares = shareTexts(parts.map(({ ns }) => ns));
  return align(
    parts.map(({ kind, detail, ns, reason }, at) => [
      partText({ kind, detail }),
      formatDuration(ns),
      shares[at] ?? '',
      cleanText(reason, 300),
    ]),
  );
}

/** Nothing where none were counted. */
function faultLines({ minorFaults = 0, majorFaults = 0 }: CallExplanation['memory']): string[] {
  const all = minorFaults + majorFaults;
  if (all === 0) return [];
  const disk = majorFaults === 0 ? 'none' : formatCount(majorFaults);
  return ['', `Inside it ${plural(all, 'page fault')}, of which ${disk} had to read from a disk.`];
}

/** How fast a copy was, and from which memory. */
function copyLines({ call, rate, effectiveRate, hostMemory }: CallExplanation): string[] {
  if (!isCopy(call) || (rate === undefined && hostMemory.kind === 'unknown')) return [];
  return [
    '',
    'The copy',
    ...align([
      ...(rate === undefined
        ? []
        : [['Rate', `${formatRate(rate.bytesPerNs, 1)} (${rate.basis})`, cleanText(rate.note)]]),
      ...(effectiveRate === undefined ? [] : [effectiveCells(effectiveRate)]),
      ['Host memory', `${hostMemory.kind} (${hostMemory.basis})`, cleanText(hostMemory.note, 600)],
    ]),
  ];
}

function effectiveCells({ bytesPerNs, ns }: NonNullable<CallExplanation['effectiveRate']>) {
  return [EFFECTIVE_RATE, `${formatRate(bytesPerNs, 1)} (exact)`, effectiveRateNote(ns)];
}

/** What the GPU did while the call lasted. */
function meanwhileLines({ gpuMeanwhile }: CallExplanation): string[] {
  if (gpuMeanwhile === undefined) return [];
  const { parts } = gpuMeanwhile;
  const shares = shareTexts(parts.map(({ ns }) => ns));
  return [
    '',
    meanwhileTitle(gpuMeanwhile),
    ...align(
      parts.map((part, at) => [
        meanwhileLabels[part.kind],
        formatDuration(part.ns),
        shares[at] ?? '',
        cleanText(meanwhileNames(part), 300),
      ]),
    ),
  ];
}

function gpuLines(work: CallExplanation['gpuWork']): string[] {
  if (work === undefined) return [];
  const more = work.count - work.shown.length;
  return [
    '',
    'What the GPU did for it',
    ...align(
      work.shown.map((each) => [
        formatMoment(each.startNs),
        formatDuration(each.durationNs),
        cleanText(each.name, 300),
        gpuWorkLine(each),
      ]),
    ),
    ...(more > 0
      ? [`  and ${formatCount(more)} more: ${formatDuration(work.totalNs)} in all`]
      : []),
  ];
}

/** Of a chain that is too long to be read, as many segments as tell most of it. */
const LONGEST_SEGMENTS = 25;

/** The chain in order of time; a long one by who and why first, with its longest segments, or all, behind it. */
function chainLines(chain: WaitChain, all: boolean): string[] {
  const { segments, sums, ending } = chain;
  if (segments.length <= MAX_READ_SEGMENTS)
    return ['Wait chain', ...align(segments.map(segmentCells)), cleanText(ending, 600)];
  const isAll = all || segments.length <= LONGEST_SEGMENTS;
  return [
    'Wait chain, by who and why',
    ...align(sums.map(sumCells)),
    cleanText(ending, 600),
    '',
    isAll
      ? `Its ${segmentsText(chain)} in order of time`
      : `The ${LONGEST_SEGMENTS} longest of its ${segmentsText(chain)} in order of time; --all prints them all`,
    ...align((isAll ? segments : longestOf(segments)).map(segmentCells)),
  ];
}

/** In order of time. */
function longestOf(segments: readonly ChainSegment[]): ChainSegment[] {
  const lengthOf = ({ startNs, endNs }: ChainSegment) => endNs - startNs;
  return segments
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, LONGEST_SEGMENTS)
    .sort((a, b) => a.startNs - b.startNs);
}

function sumCells({ ns, count, longestNs, thread, reason, proof }: ChainSum): string[] {
  return [
    formatDuration(ns),
    count === 1 ? 'once' : `${formatCount(count)}×, longest ${formatDuration(longestNs)}`,
    cleanText(`${thread.name} · ${thread.pid}${onHost(thread)}`),
    cleanText(reason, 300),
    proofLabels[proof].label,
  ];
}

function segmentCells({ startNs, endNs, thread, reason, proof }: ChainSegment): string[] {
  return [
    formatMoment(startNs),
    formatDuration(endNs - startNs),
    cleanText(`${thread.name} · ${thread.pid}${onHost(thread)}`),
    cleanText(reason, 300),
    proofLabels[proof].label,
  ];
}

function openLines(open: readonly CannotTell[]): string[] {
  if (open.length === 0) return [];
  return [
    '',
    `This trace cannot answer ${plural(open.length, 'question')}`,
    ...[...Map.groupBy(open, ({ because }) => because)].map(
      ([because, asked]) =>
        `  ${asked.map(({ question }) => question).join(' ')} ${cleanText(because, 600)}`,
    ),
  ];
}
