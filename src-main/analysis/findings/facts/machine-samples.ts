import type { TimeSpan } from '../../../shared/answers/summary.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import { hostOfSample } from '../../../shared/model/hosts.ts';
import { refsTo } from './evidence.ts';
import type { RankFacts } from './facts.ts';

/** Samples of one metric of the machine within a stretch of time. */
export interface MetricSamples {
  /** `CPU stolen by the hypervisor (%)`, as recorded. */
  readonly metric: string;
  readonly mean: number;
  readonly max: number;
  /** Highest first. */
  readonly events: EventRefs;
}

/** The samples of one metric, in order of time. */
interface SampleRows {
  readonly metric: string;
  /** Rows of sample. */
  readonly rows: readonly number[];
}

/** Those of the first metric of the rank’s host whose name matches, or is `name`, within the stretch. */
export function sampleRows(
  { trace, rank }: Pick<RankFacts, 'trace' | 'rank'>,
  name: RegExp | string,
  [startNs, endNs]: TimeSpan,
): SampleRows {
  const { tables, names } = trace;
  const host = trace.processes[rank.process]?.host ?? 0;
  const metric = names.findIndex((text) =>
    typeof name === 'string' ? text === name : name.test(text),
  );
  const { columns, rows } = tables.sample;
  const found: number[] = [];
  if (metric === -1) return { metric: '', rows: found };
  for (let row = 0; row < rows; row++) {
    const isMachine = (columns.gpu?.[row] ?? -1) < 0;
    const isWithin = columns.startNs[row] >= startNs && columns.startNs[row] <= endNs;
    if (columns.metric[row] !== metric || !isMachine || !isWithin) continue;
    if (hostOfSample(trace, row) === host) found.push(row);
  }
  found.sort((a, b) => columns.startNs[a] - columns.startNs[b]);
  return { metric: names[metric], rows: found };
}

/** As sampleRows; undefined where there is none. A percentage above 100, of a sample that came late, counts as 100. */
export function samplesOf(
  facts: Pick<RankFacts, 'trace' | 'rank'>,
  name: RegExp | string,
  span: TimeSpan,
): MetricSamples | undefined {
  const { metric, rows } = sampleRows(facts, name, span);
  if (rows.length === 0) return undefined;
  const { value } = facts.trace.tables.sample.columns;
  const sorted = rows.toSorted((a, b) => value[b] - value[a]);
  const most = metric.endsWith('(%)') ? 100 : Infinity;
  const sum = sorted.reduce((total, row) => total + Math.min(most, value[row]), 0);
  return {
    metric,
    mean: sum / sorted.length,
    max: Math.min(most, value[sorted[0]]),
    events: refsTo('sample', sorted),
  };
}

/** A sample of what went on in a second, with the stretch that it tells of: since the one before it. */
export interface SampledStretch {
  readonly startNs: number;
  readonly endNs: number;
  /** Over the stretch: a rate, times its seconds. */
  readonly amount: number;
  /** Of sample. */
  readonly row: number;
}

/** What the agent reads once a second: the first sample is of the second before it. */
const PERIOD_NS = 1e9;
/** Where samples are missing, one is not of all the time since the one before: no more than this counts. */
const LONGEST_NS = 2 * PERIOD_NS;

/** The rates of one metric as amounts, in order of time. */
export function sampledStretches(
  facts: Pick<RankFacts, 'trace' | 'rank'>,
  name: RegExp | string,
): SampledStretch[] {
  const { startNs, value } = facts.trace.tables.sample.columns;
  const { rows } = sampleRows(facts, name, [-Infinity, Infinity]);
  return rows.map((row, at) => {
    const endNs = startNs[row];
    const beforeNs = at === 0 ? endNs - PERIOD_NS : startNs[rows[at - 1]];
    const fromNs = Math.max(beforeNs, endNs - LONGEST_NS);
    return { startNs: fromNs, endNs, amount: (value[row] * (endNs - fromNs)) / 1e9, row };
  });
}
