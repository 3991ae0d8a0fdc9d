import { codeCell, codeSpan, escapeInline, escapeParagraph } from '../markdown/escape.ts';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import type { NamedFrame } from '../shared/answers/flame.ts';
import { shareTexts } from '../shared/text/shares.ts';
import { formatMoment, formatRate } from '../shared/text/units.ts';
import { isCopy, returnCodeText, sizeText, threadText } from '../shared/words/call-text.ts';
import {
  EFFECTIVE_RATE,
  effectiveRateNote,
  meanwhileLabels,
  meanwhileNames,
  meanwhileTitle,
} from '../shared/words/gpu-meanwhile-words.ts';
import { gpuWorkLine } from '../shared/words/gpu-work-words.ts';
import { partText } from '../shared/words/terms.ts';
import { exact } from './exact.ts';
import { type Section, section } from './report-input.ts';
import { number, table, text } from './table.ts';
import { waitingSections } from './waiting-section.ts';

const MAX_FRAMES = 60;
/** Longest name of a frame, in characters: those of C++ templates have thousands. */
const MAX_SYMBOL = 300;
const MAX_CHILDREN = 20;

/** The call, where its time went, and the stack it was made from. */
export function callSections(explanation: CallExplanation): Section[] {
  const { call } = explanation;
  return [
    ...section('The slow call', [
      table([text('What'), text('As recorded')], callRows(explanation)),
      childLines(call),
      stackBlock(call.stack),
    ]),
    ...section('Where its time went', [
      accountingTable(explanation),
      coverageNote(explanation),
      meanwhileTable(explanation),
    ]),
    ...waitingSections(explanation),
  ];
}

function callRows(explanation: CallExplanation): string[][] {
  const { call, rate, effectiveRate, hostMemory, rank, gpuWork } = explanation;
  const ofCopy = isCopy(call);
  const returnCode = returnCodeText(call);
  const bytes = call.bytes < 0 ? '' : ` (${call.bytes} bytes)`;
  return [
    [
      'Operation',
      `${codeCell(call.name)} (${escapeInline(call.layer)}, ${escapeInline(call.source)})`,
    ],
    ['Start', `${formatMoment(call.startNs)} (${call.startNs} ns) after the trace began`],
    ['Duration', exact(call.durationNs)],
    ['Thread', threadText(call, ', ', codeCell, escapeInline)],
    ...(returnCode === undefined ? [] : [['Return code', returnCode]]),
    ...(ofCopy || call.bytes >= 0 ? [['Size', `${sizeText(call)}${bytes}`]] : []),
    ...(ofCopy ? [['Direction', call.direction]] : []),
    ...(rate === undefined
      ? []
      : [['Rate', withBasis(formatRate(rate.bytesPerNs, 1), rate.basis, rate.note)]]),
    ...(effectiveRate === undefined
      ? []
      : [
          [
            EFFECTIVE_RATE,
            withBasis(
              formatRate(effectiveRate.bytesPerNs, 1),
              'exact',
              effectiveRateNote(effectiveRate.ns),
            ),
          ],
        ]),
    ...(ofCopy
      ? [['Host memory', withBasis(hostMemory.kind, hostMemory.basis, hostMemory.note)]]
      : []),
    ...gpuRows(gpuWork),
    [
      'Rank',
      `${rank.rank} of ${rank.of}${rank.partial ? ' stored (the file keeps only some calls)' : ''} like it (${codeCell(rank.peers)}): median ${exact(rank.medianNs)}, p95 ${exact(rank.p95Ns)}, max ${exact(rank.maxNs)}`,
    ],
  ];
}

/** What the GPU did for it, one row each. */
function gpuRows(work: CallExplanation['gpuWork']): string[][] {
  if (work === undefined) return [];
  const { shown, count, totalNs } = work;
  const rows = shown.map((each) => {
    const when = `${formatMoment(each.startNs)}, ${exact(each.durationNs)}`;
    const facts = gpuWorkLine(each);
    return ['On the GPU', `${codeCell(each.name)}: ${when}${facts && `; ${escapeInline(facts)}`}`];
  });
  const more = count - shown.length;
  return more > 0 ? [...rows, ['On the GPU', `${more} more, ${exact(totalNs)} in all`]] : rows;
}

function withBasis(value: string, basis: string, note: string): string {
  return `${value} (${basis})${note === '' ? '' : `: ${escapeInline(note)}`}`;
}

function accountingTable({ accounting, call }: CallExplanation): string {
  const shares = shareTexts(accounting.map(({ ns }) => ns));
  const rows = accounting.map(({ kind, detail, ns, reason }, at) => [
    partText({ kind, detail }),
    String(ns),
    shares[at] ?? '',
    escapeInline(reason),
  ]);
  const total = ['**Whole call**', `**${call.durationNs}**`, '**100\u00a0%**', ''];
  return table(
    [text('Part'), number('ns'), number('Share'), text('How it is known')],
    [...rows, total],
  );
}

/** The same time by what the GPU did. */
function meanwhileTable({ gpuMeanwhile, call }: CallExplanation): string {
  if (gpuMeanwhile === undefined) return '';
  const { parts } = gpuMeanwhile;
  const shares = shareTexts(parts.map(({ ns }) => ns));
  const rows = parts.map((part, at) => [
    meanwhileLabels[part.kind],
    String(part.ns),
    shares[at] ?? '',
    escapeInline(meanwhileNames(part)),
  ]);
  const total = ['**Whole call**', `**${call.durationNs}**`, '**100\u00a0%**', ''];
  return table(
    [text(meanwhileTitle(gpuMeanwhile)), number('ns'), number('Share'), text('Most of it')],
    [...rows, total],
  );
}

/** Whether its switches are complete, where that is not said as a part's reason. */
function coverageNote({ accounting, offCpu: { note } }: CallExplanation): string {
  return accounting.some(({ reason }) => reason === note) ? '' : escapeParagraph(note);
}

function childLines({ children }: CallExplanation['call']): string {
  if (children.length === 0) return '';
  const lines = children
    .slice(0, MAX_CHILDREN)
    .map(({ name, durationNs }) => `- ${codeSpan(name)}: ${exact(durationNs)}`);
  const more = children.length - lines.length;
  if (more > 0) lines.push(`- ${more} more`);
  return ['Driver calls inside it:', ...lines].join('\n');
}

/** Leaf first. */
function stackBlock(stack: readonly NamedFrame[]): string {
  if (stack.length === 0) return 'No stack was recorded for this call.';
  const lines = stack.slice(0, MAX_FRAMES).map(frameLine);
  const more = stack.length - lines.length;
  if (more > 0) lines.push(`- ${more} more`);
  const frames = stack.length === 1 ? '1 frame' : `${stack.length} frames`;
  return [
    '<details>',
    `<summary>Called from (${frames}, innermost first)</summary>`,
    '',
    ...lines,
    '',
    '</details>',
  ].join('\n');
}

function frameLine({ symbol, demangled, file, line, language }: NamedFrame): string {
  const place =
    file === undefined ? '' : ` at ${codeSpan(line === undefined ? file : `${file}:${line}`)}`;
  return `- ${codeSpan(shortened(demangled ?? symbol))}${place} (${language})`;
}

function shortened(symbol: string): string {
  return symbol.length > MAX_SYMBOL ? `${symbol.slice(0, MAX_SYMBOL - 1)}…` : symbol;
}
