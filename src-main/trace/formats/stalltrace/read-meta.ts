import type { DatabaseSync } from 'node:sqlite';
import type { TraceMeta } from '../../../shared/model/trace.ts';
import { parseJson } from '../../../shared/text/parse-json.ts';
import { cleanText } from '../../../shared/text/text.ts';
import type { FinishedRows } from '../../build/trace-builder.ts';
import { countCell, textCell } from './cells.ts';
import { readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';

/** The facts of the meta table, as text whatever they were written as. */
export type MetaFacts = ReadonlyMap<string, string>;

const INTEGER = /^-?\d{1,19}$/;

/** The facts the file knows about its recording; the last of several rows of a key wins. */
export function readMetaFacts(database: DatabaseSync, schema: FileSchema): MetaFacts {
  const facts = new Map<string, string>();
  for (const row of readEntityRows(database, schema, 'meta')) {
    const key = textCell(row.key);
    const value = textCell(row.value);
    if (key !== undefined && value !== undefined) facts.set(key, value);
  }
  return facts;
}

/** A fact as an integer ≥ 0, `undefined` where it is missing or none. */
export function metaCount(facts: MetaFacts, key: string): number | undefined {
  const text = facts.get(key);
  return text !== undefined && INTEGER.test(text) ? countCell(Number(text)) : undefined;
}

/** A fact as a 64-bit integer, `undefined` where it is missing or none. */
export function metaBigInt(facts: MetaFacts, key: string): bigint | undefined {
  const text = facts.get(key);
  return text !== undefined && INTEGER.test(text) ? BigInt(text) : undefined;
}

/** The last moment that any row reaches, ns. */
type RowEnds = Pick<FinishedRows, 'endNs' | 'eventsEndNs'>;

/** The file may say that it is longer than its rows, never shorter; where it says nothing, sums count too. */
export function buildMeta(facts: MetaFacts, version: number, ends: RowEnds): TraceMeta {
  const recorder = facts.get('recorder');
  const synthetic = facts.get('synthetic');
  const simulated = facts.get('simulated');
  const convertedFrom = facts.get('converted_from');
  return {
    format: 'Stalltrace',
    version: String(version),
    ...(recorder === undefined ? {} : { recorder }),
    ...(convertedFrom === undefined ? {} : { convertedFrom }),
    beginUnixNs: metaBigInt(facts, 'begin_unix_ns') ?? 0n,
    lengthNs: lengthOf(facts, ends),
    ...(synthetic === undefined ? {} : { synthetic }),
    ...(simulated === undefined ? {} : { simulated }),
    ...agentArguments(facts.get('options')),
    ...packageVersions(facts.get('packages')),
  };
}

function lengthOf(facts: MetaFacts, { endNs, eventsEndNs }: RowEnds): number {
  const told = metaCount(facts, 'length_ns');
  return told === undefined ? endNs : Math.max(told, eventsEndNs);
}

/** As many as any command line has that is worth repeating. */
const MAX_WORDS = 1_000;
const MAX_WORD = 8_192;

/** Nothing where some are missing, or it is not what an agent writes. */
function agentArguments(options = ''): Pick<TraceMeta, 'agentArguments'> {
  const said = parseJson(options);
  if (typeof said !== 'object' || said === null) return {};
  const { arguments: words, arguments_cut: isCut } = said as Record<string, unknown>;
  if (isCut !== false || !Array.isArray(words) || words.length > MAX_WORDS) return {};
  return words.every(isWord) ? { agentArguments: words } : {};
}

/** The agent writes 64 at most. */
const MAX_PACKAGES = 256;
const MAX_PACKAGE_WORD = 200;

/** Nothing where it is not what an agent writes. */
function packageVersions(packages = ''): Pick<TraceMeta, 'packages'> {
  const said = parseJson(packages);
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return {};
  const all: [string, unknown][] = Object.entries(said);
  if (all.length === 0 || all.length > MAX_PACKAGES) return {};
  const versions = all.map(([name, version]) =>
    [name, version].map((word) =>
      typeof word === 'string' ? cleanText(word, MAX_PACKAGE_WORD) : '',
    ),
  );
  const known = versions.filter(([name, version]) => name !== '' && version !== '');
  return known.length === 0 ? {} : { packages: Object.fromEntries(known) };
}

function isWord(word: unknown): word is string {
  return typeof word === 'string' && word.length <= MAX_WORD;
}
