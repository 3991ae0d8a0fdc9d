import { columnsOf } from '../../shared/model/columns-of.ts';
import { columnSpecs, type TableName } from '../../shared/model/schema.ts';
import { type Provenance, provenanceKinds } from '../../shared/model/trace.ts';
import type { Part } from './merge-input.ts';
import { hasFigure, ownersOf } from './merge-notes.ts';

/** What is said of a table or column of one host, or of several alike. */
interface Said {
  readonly label: string;
  readonly provenance: Provenance;
}

/** More different things than this are not said of one table. */
const MAX_NOTES = 8;

/**
 * How far all parts together can be trusted: no further than the least of them. What one lacks makes the
 * whole partial, and the note says which.
 */
function mergeProvenance(all: readonly Said[]): Provenance {
  const groups = groupAlike(all);
  const [only] = groups;
  const isOfEach = all.length > 1 && hasFigure(only.provenance.note);
  if (groups.length === 1 && !isOfEach) return only.provenance;
  const kind = kindOfAll(all.map(({ provenance }) => provenance.kind));
  const everyNs = all
    .filter(({ provenance }) => provenance.kind === kind)
    .reduce((longest, { provenance }) => Math.max(longest, provenance.everyNs ?? 0), 0);
  const notes = groups.map(({ labels, provenance }) => noteOf(labels, provenance, kind));
  const told = notes.filter((note) => note !== '');
  const more = told.length - MAX_NOTES;
  if (more > 0) told.splice(MAX_NOTES, more, `And so on, for ${more} more.`);
  return { kind, ...(everyNs > 0 && { everyNs }), note: told.join(' ') };
}

/** From `exact` on, each kind says less than the one before. */
function kindOfAll(kinds: readonly Provenance['kind'][]): Provenance['kind'] {
  const there = kinds.filter((kind) => kind !== 'absent');
  const least = Math.max(...there.map((kind) => provenanceKinds.indexOf(kind)));
  if (there.length === 0) return 'absent';
  return there.length < kinds.length && least === 0 ? 'partial' : provenanceKinds[least];
}

interface Group {
  readonly labels: string[];
  readonly provenance: Provenance;
}

function groupAlike(all: readonly Said[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { label, provenance } of all) {
    const key = `${provenance.kind}\n${provenance.everyNs}\n${provenance.note}`;
    const group = groups.get(key) ?? { labels: [], provenance };
    group.labels.push(label);
    groups.set(key, group);
  }
  return [...groups.values()];
}

const kindWords: Readonly<Record<Provenance['kind'], string>> = {
  exact: 'complete',
  partial: 'not complete',
  sampled: 'sampled',
  aggregated: 'sums only',
  inferred: 'worked out',
  absent: 'none',
};

function noteOf(labels: readonly string[], said: Provenance, kind: Provenance['kind']): string {
  const word = said.kind === kind && said.note !== '' ? '' : `${kindWords[said.kind]}. `;
  return `${ownersOf(labels, said.note)}: ${word}${said.note}`.trim();
}

/** Provenance of a table of all parts. */
export function mergeTableProvenance(table: TableName, all: readonly Part[]): Provenance {
  return mergeProvenance(
    all.flatMap((part) => {
      const { provenance } = part.trace.tables[table];
      return isLeftToOthers(part, table, all) ? [] : [{ label: part.label, provenance }];
    }),
  );
}

/** Whether the part is a rest in which nothing of the table happens to be. */
function isLeftToOthers(part: Part, table: TableName, all: readonly Part[]): boolean {
  const isAbsent = part.trace.tables[table].provenance.kind === 'absent';
  return isAbsent && part.isRest === true && all.some(({ isRest }) => isRest !== true);
}

/** Provenance of the columns of a table where a part says it, or where not all parts have the column. */
export function mergeColumnProvenance(
  table: TableName,
  all: readonly Part[],
): Readonly<Record<string, Provenance>> {
  const parts = all.filter((part) => !isLeftToOthers(part, table, all));
  const whole = mergeTableProvenance(table, all);
  const merged: Record<string, Provenance> = {};
  for (const [name, { required, refersTo }] of columnSpecs(table)) {
    // Which host a row is of is told by what it was merged from.
    if (refersTo === 'host' && all.length > 1) continue;
    const states = parts.map(({ label, trace }) => {
      const isThere = required === true || columnsOf(trace, table)[name] !== undefined;
      const { provenance, columnProvenance } = trace.tables[table];
      const own = columnProvenance[name];
      const isLacking = !isThere && provenance.kind !== 'absent';
      return { label, isThere, own, provenance: own ?? (isLacking ? NOT_THERE : provenance) };
    });
    const isSaid = states.some(({ own }) => own !== undefined);
    const isMixed = new Set(states.map(({ isThere }) => isThere)).size > 1;
    const of = isSaid || isMixed ? mergeProvenance(states) : whole;
    if (isSaid || JSON.stringify(of) !== JSON.stringify(whole)) merged[name] = of;
  }
  return merged;
}

const NOT_THERE: Provenance = { kind: 'absent', note: '' };
