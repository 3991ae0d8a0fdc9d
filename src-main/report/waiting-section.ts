import { codeCell, escapeInline } from '../markdown/escape.ts';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import type { ThreadLabel } from '../shared/answers/jobs.ts';
import { formatMoment } from '../shared/text/units.ts';
import { exact } from './exact.ts';
import { type Section, section } from './report-input.ts';
import { number, table, text } from './table.ts';

const MAX_CONTENDERS = 12;
const MAX_SEGMENTS = 30;

/** Who ran while the call waited for a CPU, and what it waited for in turn. */
export function waitingSections(explanation: CallExplanation): Section[] {
  const { contention, waitChain } = explanation;
  return [
    ...section('Who ran instead', [contenderTable(explanation), escapeInline(contention.note)]),
    ...(waitChain.segments.length === 0
      ? []
      : section('The wait chain', [chainTable(explanation), escapeInline(waitChain.ending)])),
  ];
}

function named({ name, pid, lineage }: ThreadLabel): string {
  const parts = [codeCell(name), `pid ${pid}`, ...(lineage === '' ? [] : [escapeInline(lineage)])];
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
