import {
  codeBlock,
  codeCell,
  codeSpan,
  escapeInline,
  escapeParagraph,
  escapeSentence,
} from '../markdown/escape.ts';
import type { CausalChain, Diagnosis, Evidence, Finding } from '../shared/answers/diagnosis.ts';
import { formatMoment, formatShare, plural } from '../shared/text/units.ts';
import { costText, gainText } from '../shared/words/cost-words.ts';
import { gpuTimeLines } from '../shared/words/gpu-time-words.ts';
import { hostTimeLines } from '../shared/words/host-time-words.ts';
import { hotLineShare } from '../shared/words/hot-line-words.ts';
import { inputTimeLines } from '../shared/words/input-time-words.ts';
import { costsNote, judgedTime, phaseRows, selectionNote } from '../shared/words/phase-rows.ts';
import { type RankTable, rankCellText, rankTables } from '../shared/words/rank-table.ts';
import { stepLengths } from '../shared/words/step-lengths.ts';
import { severityLabels, verdictLabels } from '../shared/words/terms.ts';
import { verdictKind } from '../shared/words/verdict-answer.ts';
import { exact } from './exact.ts';
import { type Section, section } from './report-input.ts';
import { number, table, text } from './table.ts';

const MAX_FINDINGS = 5;
const MAX_CHAINS = 6;
const MAX_LINES = 6;
const MAX_OCCURRENCES = 5;

/** What slows the whole trace: verdict, what the time went to, findings with their fixes, chains. */
export function diagnosisSections(diagnosis: Diagnosis | undefined): Section[] {
  if (diagnosis === undefined) return [];
  return [
    ...section('What slows the whole trace', [
      `**${verdictLabels[verdictKind(diagnosis)]}** ${escapeSentence(diagnosis.headline)}`,
      costTable(diagnosis),
      costsNote(diagnosis),
      ...rankTables(diagnosis).map(rankTableBlock),
      ...stepLines(diagnosis),
      ...diagnosis.ranks.flatMap((rank) =>
        [inputTimeLines(rank), hostTimeLines(rank)].map(listBlock),
      ),
    ]),
    ...findingSections(diagnosis),
    ...section('Causal chains', diagnosis.chains.slice(0, MAX_CHAINS).map(chainBlock)),
  ];
}

function costTable(diagnosis: Diagnosis): string {
  const { costs, windowNs, isSelection } = diagnosis;
  if (costs.length === 0) return '';
  if (isSelection)
    return table(
      [text('What the time around the stored calls went to'), number('ns')],
      costs.map(({ label, ns }) => [escapeInline(label), String(Math.round(ns))]),
    );
  return table(
    [text(`What the time went to, of ${judgedTime(diagnosis)}`), number('ns'), number('Share')],
    costs.map(({ label, ns }) => [
      escapeInline(label),
      String(Math.round(ns)),
      formatShare(ns, windowNs),
    ]),
  );
}

function rankTableBlock({ title, columns: [first = '', ...figures], rows }: RankTable): string {
  return table(
    [text(`${title}: ${first}`), ...figures.map(number)],
    rows.map((row) => [escapeInline(row.label), ...row.cells.map(rankCellText)]),
  );
}

function stepLines({ ranks, headline }: Diagnosis): string[] {
  return ranks.map((each) => {
    const { rank, steps, inputKnown, sentence } = each;
    const parts = phaseRows({ steps, inputKnown })
      .filter(({ ns }) => ns !== 0)
      .map(({ label, share, duration }) => `${label} ${share || duration}`);
    // Of one rank the headline has said it.
    const whose =
      ranks.length > 1 ? [`${escapeParagraph(rank.label)}: ${escapeInline(sentence)}`] : [];
    const split = parts.length > 0 ? [`${parts.join(', ')}.`] : [];
    // What was said just above is not said again.
    const said = ranks.length > 1 ? sentence : headline;
    const notes = [
      ...(steps.isSelection ? [selectionNote(steps.window)] : []),
      ...(steps.typical?.kinds === undefined ? [] : [stepLengths(steps)]),
      ...[steps.note, steps.inputNote].filter((note) => !said.includes(note)),
    ];
    const gpus = gpuTimeLines(each).map((line) => escapeInline(line));
    return [...whose, ...split, ...gpus, ...notes.map(escapeInline)].join(' ');
  });
}

/** What the loop's waits for input and its other time went to. */
function listBlock(told: readonly string[]): string {
  const [title, ...lines] = told.map(escapeInline);
  return title === undefined ? '' : [title, '', ...lines.map((line) => `- ${line}`)].join('\n');
}

function findingSections({ findings, ranks }: Diagnosis): Section[] {
  const told = findings.slice(0, MAX_FINDINGS);
  return told.flatMap((finding) =>
    section(`Finding: ${escapeInline(finding.title)}`, [
      escapeParagraph(finding.sentence),
      `${codeSpan(finding.id)}, severity ${severityLabels[finding.severity] ?? ''}, ${costWords(finding, ranks)}, ${finding.confidence}.`,
      finding.evidence.map(evidenceLine).join('\n'),
      hotLines(finding),
      fixBlock(finding),
      experimentBlock(finding),
    ]),
  );
}

function costWords(finding: Finding, ranks: Diagnosis['ranks']): string {
  const { costNs, costBasis } = finding;
  if (costNs <= 0) return 'no cost shown';
  return `${escapeInline(costText(finding, ranks, exact))} (${costBasis})`;
}

function evidenceLine({ text: said, basis }: Evidence): string {
  return `- ${escapeSentence(said)} (${basis})`;
}

function hotLines({ hotLines: lines }: Finding): string {
  if (lines.length === 0) return '';
  const rows = lines
    .slice(0, MAX_LINES)
    .map(({ function: name, file, line, ...told }) => [
      codeCell(name),
      codeCell(line > 0 ? `${file}:${line}` : file),
      hotLineShare(told),
    ]);
  return table([text('Its threads were in'), text('At'), number('Share')], rows);
}

function fixBlock(finding: Finding): string {
  const { title, text: said, before, after, language, sources } = finding.fix;
  const gain = finding.costNs > 0 ? gainText(finding, exact) : '';
  const known = sources.map(({ title: name, url }) =>
    url === undefined ? escapeInline(name) : `${escapeInline(name)} (${url})`,
  );
  return [
    `**Fix: ${escapeInline(title)}.** ${escapeSentence(said)}${gain === '' ? '' : ` The fix ${gain}.`}`,
    ...(before === '' ? [] : ['Before:', codeBlock(before, language)]),
    ...(after === '' ? [] : ['After:', codeBlock(after, language)]),
    ...(known.length === 0 ? [] : [`Known from: ${known.join('; ')}.`]),
  ].join('\n\n');
}

function experimentBlock({ id, experiment }: Finding): string {
  if (experiment === undefined) return '';
  const { expects, capture } = experiment;
  const commands = `${capture}\nstalltrace confirm ${id} BEFORE AFTER`;
  return [`**To confirm it.** ${escapeInline(expects)}`, codeBlock(commands, 'shell')].join('\n\n');
}

function chainBlock({ system, host, cuda, occurrences, occurrenceCount, costNs }: CausalChain) {
  const longest = occurrences
    .toSorted((a, b) => b.costNs - a.costNs)
    .slice(0, MAX_OCCURRENCES)
    .map((each) => `${formatMoment(each.startNs)} (${exact(each.costNs)})`);
  return [
    `- **SYSTEM** ${escapeInline(system.text)}`,
    `- **HOST** ${escapeInline(host.text)}`,
    `- **CUDA** ${escapeInline(cuda.text)}`,
    `- ${plural(occurrenceCount, 'time')}, ${exact(costNs)} in all; the longest at ${longest.join(', ')}`,
  ].join('\n');
}
