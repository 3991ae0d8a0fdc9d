import type { TableName } from '../../../shared/model/schema.ts';
import type { Notice } from '../../../shared/model/trace.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import { type MetaFacts, metaBigInt, metaCount } from './read-meta.ts';
import { FORMAT_VERSION } from './schema.ts';

export interface ImportFindings {
  readonly facts: MetaFacts;
  readonly version: number;
  /** Rows left out of each table. */
  readonly skippedRows: Partial<Record<TableName, number>>;
  readonly skippedEntities: number;
  readonly dangling: number;
}

function skippedText({ skippedRows, skippedEntities }: ImportFindings): string | undefined {
  const parts = Object.entries(skippedRows)
    .filter(([, skipped]) => skipped > 0)
    .map(([table, skipped]) => `${formatCount(skipped)} of ${table}`);
  if (skippedEntities > 0) parts.push(`${formatCount(skippedEntities)} of other tables`);
  if (parts.length === 0) return undefined;
  return `Rows left out because a value was not what it has to be: ${parts.join(', ')}.`;
}

/** What the importer itself has to say about a file. */
export function importNotices(findings: ImportFindings): Notice[] {
  const { facts, version, dangling } = findings;
  const notices: Notice[] = [];
  const warn = (text: string) => notices.push({ level: 'warning', text });
  if (version > FORMAT_VERSION)
    warn(
      `This file has version ${version} of the trace format, and this Stalltrace knows version ${FORMAT_VERSION}: what is new in it is not shown.`,
    );
  if (metaCount(facts, 'finished_ns') === undefined)
    warn(
      'The recording ended without being finished (the recorder was killed, or the machine stopped): up to a second before its end is missing.',
    );
  if (metaBigInt(facts, 'begin_unix_ns') === undefined)
    warn('The file does not say when it was recorded: dates are wrong, times within it are not.');
  const skipped = skippedText(findings);
  if (skipped !== undefined) warn(skipped);
  if (dangling > 0)
    warn(
      `${plural(dangling, 'reference')} to a thread, name, stack or call that is not in the file: shown as not known.`,
    );
  const origin = facts.get('converted_from');
  if (origin !== undefined) notices.push({ level: 'info', text: `Converted from ${origin}.` });
  return notices;
}
