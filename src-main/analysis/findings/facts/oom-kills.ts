import { codeOf, processEventKinds } from '../../../shared/model/codes.ts';
import { plural } from '../../../shared/text/units.ts';
import { onceFor } from '../../index/per-trace.ts';
import type { RankFacts } from './facts.ts';
import { processText } from './job-shape.ts';
import { type SampledStretch, sampledStretches, sampleRows } from './machine-samples.ts';

/** Kills by the kernel for lack of memory: such a kill may end the loop, so that those outside of the window count too. */
export interface OomKills {
  /** Of the job’s processes where the machine was short of memory, for all that is known: rows of process_event. */
  readonly ofMachine: readonly number[];
  /** Those of its processes while its control group was at its limit. */
  readonly ofGroup: readonly number[];
  /** As many processes of the control group were killed while it was at its limit, of this job or not. */
  readonly inGroup: number;
  /** The limit that it was at, bytes; 0 = none. */
  readonly limitBytes: number;
  /** Rows of sample that show it. */
  readonly samples: readonly number[];
}

const MIB = 2 ** 20;
/** A kill is counted a moment after it was decided. Our own choice. */
const SLACK_NS = 50e6;

/** As the agent names them: agent/src/host/cgroup/cgroup_metrics.c. */
const KILLS = /^Control group out-of-memory kills \(\/s\)$/;
const HITS = /^Control group memory limit hit \(times\/s\)$/;
const LIMIT = /^Control group memory limit \(MiB\)$/;

/** Found once per rank. */
export const oomKills = onceFor((facts: RankFacts) => facts, findKills);

function findKills(facts: RankFacts): OomKills {
  const { value, startNs } = facts.trace.tables.sample.columns;
  const hitsAt = new Map(sampledStretches(facts, HITS).map(({ endNs, amount }) => [endNs, amount]));
  // The kernel counts a process of the group that it kills for the machine too: then the group is at no limit.
  const atLimit = sampledStretches(facts, KILLS).filter(
    ({ endNs, amount }) => amount > 0 && (hitsAt.get(endNs) ?? 0) > 0,
  );
  const { rows: limits } = sampleRows(facts, LIMIT, [-Infinity, Infinity]);
  const limit = limits.find((row) => startNs[row] === atLimit[0]?.endNs);
  const ofJob = killsOf(facts);
  const isOfGroup = (row: number) => isWithin(facts, row, atLimit);
  const inGroup = Math.round(atLimit.reduce((sum, { amount }) => sum + amount, 0));
  return {
    ofMachine: ofJob.filter((row) => limit === undefined || !isOfGroup(row)),
    ofGroup: limit === undefined ? [] : ofJob.filter(isOfGroup),
    inGroup: limit === undefined ? 0 : inGroup,
    limitBytes: limit === undefined ? 0 : value[limit] * MIB,
    samples: atLimit.map(({ row }) => row),
  };
}

function killsOf({ trace, rank }: RankFacts): number[] {
  const { columns, rows } = trace.tables.process_event;
  const kind = codeOf(processEventKinds, 'oom-kill');
  const own = new Set(rank.processes);
  const found: number[] = [];
  for (let row = 0; row < rows; row++) {
    const victim = trace.threads[columns.subject?.[row] ?? columns.thread[row]];
    if (columns.kind[row] === kind && own.has(victim?.process ?? -1)) found.push(row);
  }
  return found;
}

function isWithin({ trace }: RankFacts, row: number, stretches: readonly SampledStretch[]) {
  const atNs = trace.tables.process_event.columns.startNs[row];
  return stretches.some(
    ({ startNs, endNs }) => atNs >= startNs - SLACK_NS && atNs <= endNs + SLACK_NS,
  );
}

/** `The kernel killed 2 processes of the job for memory, first python3 (pid 101)`: of rows of process_event. */
export function killsText({ trace }: RankFacts, rows: readonly number[]): string {
  const { subject, thread } = trace.tables.process_event.columns;
  const victim = trace.threads[subject?.[rows[0]] ?? thread[rows[0]]];
  return `The kernel killed ${plural(rows.length, 'process', 'processes')} of the job for memory, first ${processText(trace, victim.process)}`;
}
