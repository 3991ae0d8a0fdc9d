import type { Rank } from '../../shared/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { TimeSpan } from '../../shared/summary.ts';
import type { CpuFacts } from './facts.ts';

/** More CPUs than any machine has: a list such as `0-4000000000` is not walked. */
const MAX_CPU = 65_536;

/** The CPUs of a list as /proc writes it, `0-3,8`; undefined where it is none. */
export function cpuList(text: string | undefined): readonly number[] | undefined {
  if (text === undefined || text === '') return undefined;
  const cpus: number[] = [];
  for (const part of text.split(',')) {
    const [, first = '', last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part.trim()) ?? [];
    if (first === '' || Number(last) > MAX_CPU) return undefined;
    for (let cpu = Number(first); cpu <= Number(last); cpu++) cpus.push(cpu);
  }
  return cpus;
}

/** What the rank's main process may use of the machine, and how much of that was idle in `window`. */
export function cpuFacts(trace: Trace, rank: Rank, window: TimeSpan): CpuFacts {
  const process = trace.processes[rank.process];
  const machine = trace.machine.cpuCount ?? 0;
  const allowed = cpuList(process?.cpusAllowed);
  const quota = process?.cpuQuota;
  const open = allowed?.length ?? machine;
  const usable = quota === undefined ? open : Math.min(quota, open > 0 ? open : quota);
  const idleShare = idleShareOf(trace, allowed, window);
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
  allowed: readonly number[] | undefined,
  window: TimeSpan,
): number | undefined {
  const own = allowed?.flatMap((cpu) => meanOf(trace, `CPU ${cpu} (%)`, window) ?? []) ?? [];
  const busy =
    own.length > 0 && own.length === allowed?.length
      ? own.reduce((sum, value) => sum + value, 0) / own.length
      : meanOf(trace, 'CPU (%)', window);
  return busy === undefined ? undefined : Math.min(1, Math.max(0, 1 - busy / 100));
}

/** Mean of a metric's samples within `window`; undefined where there is none. */
function meanOf(trace: Trace, metric: string, window: TimeSpan): number | undefined {
  const name = trace.names.indexOf(metric);
  const { columns, rows } = trace.tables.sample;
  let [sum, count] = [0, 0];
  if (name === -1) return undefined;
  for (let row = 0; row < rows; row++) {
    const atNs = columns.startNs[row];
    if (columns.metric[row] !== name || atNs < window[0] || atNs > window[1]) continue;
    sum += columns.value[row];
    count += 1;
  }
  return count === 0 ? undefined : sum / count;
}
