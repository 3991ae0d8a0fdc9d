import { codeCell, escapeInline } from '../markdown/escape.ts';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import type { ThreadLabel } from '../shared/answers/jobs.ts';
import { MAX_READ_SEGMENTS } from '../shared/answers/wait-chain.ts';
import { formatMoment } from '../shared/text/units.ts';
import { onHost } from '../shared/words/on-host.ts';
import { exact } from './exact.ts';
import { type Section, section } from './report-input.ts';
import { number, table, text } from './table.ts';

const MAX_CONTENDERS = 12;
const MAX_SEGMENTS = 30;
const MAX_SUMS = 15;

/** Who ran while the call waited for a CPU, and what it waited for in turn. */
export function waitingSections(explanation: CallExplanation): Section[] {
  const { contention, waitChain } = explanation;
  return [
    ...section('Who ran instead', [contenderTable(explanation), escapeInline(contention.note)]),
    ...(waitChain.segments.length === 0
      ? []
      : section('The wait chain', [
          sumTable(explanation),
          chainTable(explanation),
          escapeInline(waitChain.ending),
        ])),
  ];
}

function named({ name, pid, host, lineage }: ThreadLabel): string {
  const where = onHost({ host: host && escapeInline(host) });
  const parts = [
    codeCell(name),
    `pid ${pid}${where}`,
    ...(lineage === '' ? [] : [escapeInline(lineage)]),
  ];
  return parts.join(', ');
}

function contenderTable({ contention: { contenders } }: CallExplanation): string {
  if (contenders.length === 0) return '';
  return table(
    [text('Who'), number('ns'), text('CPU')],
    contenders.map((contender) => [
      named(contender),
      String(contender.ns),
      contender.cpus.map(({ cpu }) => cpu).join(', '),
    ]),
    MAX_CONTENDERS,
  );
}

/** A long chain by who and why, before its list. */
function sumTable({ waitChain: { segments, sums } }: CallExplanation): string {
  if (segments.length <= MAX_READ_SEGMENTS) return '';
  return table(
    [
      ...[number('In all'), number('Times'), number('Longest')],
      ...[text('Thread'), text('What it did'), text('Known')],
    ],
    sums.map(({ ns, count, longestNs, thread, reason, proof }) => [
      ...[exact(ns), String(count), exact(longestNs)],
      ...[named(thread), escapeInline(reason), proof],
    ]),
    MAX_SUMS,
  );
}

function chainTable({ waitChain: { segments } }: CallExplanation): string {
  return table(
    [text('From'), text('For'), text('Thread'), text('What it did'), text('Known')],
    segments.map(({ startNs, endNs, thread, reason, proof }) => [
      formatMoment(startNs),
      exact(endNs - startNs),
      named(thread),
      escapeInline(reason),
      proof,
    ]),
    MAX_SEGMENTS,
  );
}
