import type { DatabaseSync } from 'node:sqlite';
import type { SourceFinding, SourceFindingOccurrence } from '../../../shared/model/trace.ts';
import { cleanText } from '../../../shared/text/text.ts';
import { severityRank, writtenSeverity } from '../../../shared/words/severities.ts';
import {
  columnNames,
  columnOr,
  integer,
  jsonArray,
  type Row,
  readRows,
  real,
  text,
  textColumn,
} from '../../sqlite/read-table.ts';
import { MAX_DISTANCE_NS } from './raw-events.ts';

/**
 * Ingero's own causal chains. It repeats a chain every second it holds (316 rows in the published
 * file), for each slow operation and for the driver call inside it: chains with the same set of
 * causes are folded into one, but never those of two machines.
 */

const MAX_CHAINS = 100_000;
const MAX_JSON_CHARACTERS = 64 * 1024;
const MAX_CAUSES = 32;

interface Chain {
  readonly node: string;
  readonly causes: readonly string[];
  readonly severity: string;
  readonly summary: string;
  readonly explanation: string;
  readonly recommendations: readonly string[];
  readonly occurrence: SourceFindingOccurrence;
}

/** Reads and folds `causal_chains`; the most severe first, then the most frequent. */
export function readFindings(database: DatabaseSync, beginUnixNs: bigint): SourceFinding[] {
  const groups = new Map<string, Chain[]>();
  for (const chain of readChains(database, beginUnixNs)) {
    const key = [chain.node, ...chain.causes].join('\n');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [chain]);
    else group.push(chain);
  }
  return [...groups.values()]
    .flatMap(fold)
    .sort(
      (a, b) =>
        severityRank(a.severity) - severityRank(b.severity) ||
        b.occurrences.length - a.occurrences.length,
    );
}

function fold(chains: readonly Chain[]): SourceFinding[] {
  const inTime = chains.toSorted((a, b) => a.occurrence.detectedNs - b.occurrence.detectedNs);
  const [worst] = inTime.toReversed().sort(worstFirst);
  if (worst === undefined) return [];
  return [
    {
      foundBy: 'Ingero',
      ...(worst.node === '' ? {} : { node: worst.node }),
      ops: [...new Set(inTime.map(({ occurrence }) => occurrence.op))],
      causes: worst.causes,
      severity: worst.severity,
      summary: worst.summary,
      explanation: worst.explanation,
      recommendations: worst.recommendations,
      occurrences: inTime.map(({ occurrence }) => occurrence),
    },
  ];
}

/** The most severe, of these the one whose operation was the most times slower than usual; else the latest. */
function worstFirst(a: Chain, b: Chain): number {
  const ratio = ({ occurrence }: Chain) => occurrence.ratio ?? 0;
  return severityRank(a.severity) - severityRank(b.severity) || ratio(b) - ratio(a);
}

function* readChains(database: DatabaseSync, beginUnixNs: bigint): Iterable<Chain> {
  const columns = columnNames(database, 'causal_chains');
  if (!columns.has('detected_at')) return;
  const texts = ['severity', 'summary', 'root_cause', 'explanation', 'cuda_op'].map((name) =>
    textColumn(columns, name, 4096),
  );
  const json = ['recommendations', 'timeline'].map((name) =>
    textColumn(columns, name, MAX_JSON_CHARACTERS),
  );
  const sql = `SELECT detected_at, ${columnOr(columns, 'cuda_p50_us', '0')},
    ${columnOr(columns, 'cuda_p99_us', '0')}, ${columnOr(columns, 'tail_ratio', 'NULL')},
    ${[...texts, ...json, textColumn(columns, 'node')].join(', ')}
    FROM causal_chains LIMIT ${MAX_CHAINS}`;
  for (const row of readRows(database, sql)) {
    const chain = parseChain(row, beginUnixNs);
    if (chain !== undefined) yield chain;
  }
}

function parseChain(row: Row, beginUnixNs: bigint): Chain | undefined {
  const [detectedAt, p50, p99, tailRatio, ...texts] = row;
  const [level, summary, rootCause, explanation, op, advice, timeline, node] = texts;
  if (typeof detectedAt !== 'bigint') return undefined;
  const detectedNs = Number(detectedAt - beginUnixNs);
  if (!(Math.abs(detectedNs) <= MAX_DISTANCE_NS)) return undefined;
  const severity = writtenSeverity(level);
  const opName = text(op);
  const { causes, detail } = parseTimeline(timeline, opName);
  const stated = text(rootCause);
  const [p50Us, p99Us] = [integer(p50) ?? 0, integer(p99) ?? 0];
  return {
    node: text(node).trim(),
    causes: causes.length > 0 || stated === '' ? causes : [stated],
    severity,
    summary: text(summary),
    explanation: text(explanation, 4096),
    recommendations: jsonArray(advice, MAX_CAUSES)
      .filter((line) => typeof line === 'string')
      .map((line) => cleanText(line)),
    occurrence: {
      op: opName,
      detectedNs,
      severity,
      ...{ p50Us, p99Us, ...ratioOf(tailRatio, p50Us, p99Us) },
      detail: detail || stated,
    },
  };
}

/** The file's own ratio is of ns, its percentiles are whole µs. */
function ratioOf(cell: Row[number] | undefined, p50Us: number, p99Us: number): { ratio?: number } {
  const stated = real(cell) ?? 0;
  if (stated > 0) return { ratio: stated };
  return p50Us > 0 && p99Us > 0 ? { ratio: p99Us / p50Us } : {};
}

/** The causes of `[{layer,op,detail}]` as sorted `layer:op`, without the slow operation itself. */
function parseTimeline(json: unknown, op: string): { causes: string[]; detail: string } {
  const causes = new Set<string>();
  const details: string[] = [];
  for (const entry of jsonArray(json, MAX_CAUSES)) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { layer, op: cause, detail } = entry as Readonly<Record<string, unknown>>;
    if (typeof layer !== 'string' || typeof cause !== 'string' || cleanText(cause) === op) continue;
    causes.add(cleanText(`${layer}:${cause}`, 128));
    if (typeof detail === 'string' && detail !== '') details.push(cleanText(detail, 256));
  }
  return { causes: [...causes].sort(), detail: details.join('; ') };
}
