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

/**
 * The samples of the first metric of the rank’s host whose name matches, or is `name`; undefined where there is none in `window`. A
 * percentage above 100, of a sample that came late, counts as 100.
 */
export function samplesOf(
  { trace, rank }: Pick<RankFacts, 'trace' | 'rank'>,
  name: RegExp | string,
  [startNs, endNs]: TimeSpan,
): MetricSamples | undefined {
  const { tables, names } = trace;
  const host = trace.processes[rank.process]?.host ?? 0;
  const metric = names.findIndex((text) =>
    typeof name === 'string' ? text === name : name.test(text),
  );
  const { columns, rows } = tables.sample;
  const found: number[] = [];
  for (let row = 0; row < rows; row++) {
    const isMachine = (columns.gpu?.[row] ?? -1) < 0;
    const isWithin = columns.startNs[row] >= startNs && columns.startNs[row] <= endNs;
    if (columns.metric[row] !== metric || !isMachine || !isWithin) continue;
    if (hostOfSample(trace, row) === host) found.push(row);
  }
  if (metric === -1 || found.length === 0) return undefined;
  found.sort((a, b) => columns.value[b] - columns.value[a]);
  const most = names[metric].endsWith('(%)') ? 100 : Infinity;
  const sum = found.reduce((total, row) => total + Math.min(most, columns.value[row]), 0);
  return {
    metric: names[metric],
    mean: sum / found.length,
    max: Math.min(most, columns.value[found[0]]),
    events: refsTo('sample', found),
  };
}
