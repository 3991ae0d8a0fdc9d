import type { Rank } from '../../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { hostOfSample } from '../../../shared/model/hosts.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import type { CpuFacts } from './facts.ts';

/** More CPUs than any machine has: a list such as `0-4000000000` is not walked. */
const MAX_CPU = 65_536;
/** Longer than the list of every other CPU of such a machine. */
const MAX_LIST = 2 ** 19;

/** The CPUs of a list as /proc writes it, `0-3,8`, each once; undefined where it is none. */
export function cpuList(text: string | undefined): readonly number[] | undefined {
  if (text === undefined || text === '' || text.length > MAX_LIST) return undefined;
  const cpus: number[] = [];
  let next = 0;
  for (const part of text.split(',')) {
    const [, first = '', last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part.trim()) ?? [];
    // It ascends: what does not is no list of /proc's.
    if (first === '' || Number(last) > MAX_CPU || Number(first) < next) return undefined;
    for (next = Number(first); next <= Number(last); next++) cpus.push(next);
  }
  return cpus;
}

/** The runs of a list of CPUs in order: `0–3`, `8`. */
export function cpuRanges(cpus: readonly number[], to: string): string[] {
  const runs: [number, number][] = [];
  for (const cpu of cpus) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === cpu - 1) last[1] = cpu;
    else runs.push([cpu, cpu]);
  }
  return runs.map(([from, last]) => (from === last ? `${from}` : `${from}${to}${last}`));
}

/** What the rank's main process may use of the machine, and how much of that was idle in `window`. */
export function cpuFacts(trace: Trace, rank: Rank, window: TimeSpan): CpuFacts {
  const process = trace.processes[rank.process];
  const host = process?.host ?? 0;
  const machine = Math.min(trace.hosts[host]?.cpuCount ?? 0, MAX_CPU);
  const allowed = cpuList(process?.cpusAllowed);
  const quota = process?.cpuQuota;
  const open = allowed?.length ?? machine;
  const usable = quota === undefined ? open : Math.min(quota, open > 0 ? open : quota);
  const idleShare = idleShareOf(trace, host, allowed, window);
  return {
    machine,
    usable,
    ...(quota !== undefined && { quota }),
    ...(allowed !== undefined && { allowed: allowed.length }),
    ...(idleShare !== undefined && { idleShare }),
    basis: basisOf(machine, allowed?.length, quota),
  };
}

function basisOf(machine: number, allowed: number | undefined, quota: number | undefined): string {
  if (machine === 0 && allowed === undefined && quota === undefined)
    return 'The trace does not say how many CPUs there are.';
  const parts = machine > 0 ? [`the machine has ${machine}`] : [];
  if (allowed !== undefined && allowed !== machine) parts.push(`its affinity allows ${allowed}`);
  if (quota !== undefined) parts.push(`its quota is worth ${quota}`);
  return parts.join(', ');
}

/** From the samples of the CPUs it may use, else from those of the whole machine. */
function idleShareOf(
  trace: Trace,
  host: number,
  allowed: readonly number[] | undefined,
  window: TimeSpan,
): number | undefined {
  const means = meansWithin(trace, host, window);
  const own = allowed?.flatMap((cpu) => means.get(`CPU ${cpu} (%)`) ?? []) ?? [];
  const busy =
    own.length > 0 && own.length === allowed?.length
      ? own.reduce((sum, value) => sum + value, 0) / own.length
      : means.get('CPU (%)');
  return busy === undefined ? undefined : Math.min(1, Math.max(0, 1 - busy / 100));
}

/**
 * Means of all metrics of a host’s CPUs within `window`, by name: one pass over the samples. A sample
 * tells of the time since the one before it: only those count whose time lies wholly in the window.
 */
function meansWithin(trace: Trace, host: number, window: TimeSpan): ReadonlyMap<string, number> {
  const { names, tables } = trace;
  const { columns, rows, provenance } = tables.sample;
  const isCpu = names.map((name) => /^CPU (?:\d+ )?\(%\)$/.test(name));
  const sums = new Map<string, { sum: number; count: number }>();
  const latestNs = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const metric = columns.metric[row];
    if (!isCpu[metric] || hostOfSample(trace, row) !== host) continue;
    const atNs = columns.startNs[row];
    const fromNs = latestNs.get(metric) ?? atNs - (provenance.everyNs ?? Infinity);
    latestNs.set(metric, atNs);
    if (fromNs < window[0] || atNs > window[1]) continue;
    const known = sums.get(names[metric]) ?? { sum: 0, count: 0 };
    known.sum += columns.value[row];
    known.count++;
    sums.set(names[metric], known);
  }
  return new Map([...sums].map(([name, { sum, count }]) => [name, sum / count]));
}

/** With less of them idle, who computes takes CPUs from others. Our own choice. */
const IDLE_AT_LEAST = 0.25;

/** Whether the CPUs were so busy that threads waited for them: what ends leaves its CPUs to others. */
export const areScarce = ({ idleShare }: Pick<CpuFacts, 'idleShare'>): boolean =>
  idleShare !== undefined && idleShare < IDLE_AT_LEAST;
