import { directions } from '../../shared/model/codes.ts';
import { type LiveFigures, SERIES_POINTS, type SlowCall } from '../../shared/remote/run.ts';
import type { AgentLineOf } from './agent-lines.ts';

const SLOWEST_SHOWN = 10;

/** What a capture has seen after one more of its lines; undefined for one that was told already. */
export function addProgress(
  before: LiveFigures | undefined,
  line: AgentLineOf<'progress'>,
  heardAtMs: number,
): LiveFigures | undefined {
  // A run that is followed anew tells its lines from the begin.
  if (before !== undefined && line.elapsed_ns <= before.elapsedNs) return undefined;
  const eventsPerSecond = rate(before, line);
  return {
    elapsedNs: line.elapsed_ns,
    sizeBytes: line.bytes,
    events: line.events,
    eventsPerSecond,
    drops: line.drops,
    rows: line.rows,
    inside: line.inside,
    processes: line.processes,
    threads: line.threads,
    agentCpuPercent: line.agent_cpu_percent,
    cpuPercent: pushed(before?.cpuPercent, line.cpu_percent),
    gpuPercent: pushed(before?.gpuPercent, line.gpu_percent),
    rates: pushed(before?.rates, eventsPerSecond),
    slowest: slowestOf(before?.slowest ?? [], line.slowest),
    heardAtMs,
  };
}

/** The last figures, which the line that ends a capture has exactly. */
export function addFinished(
  before: LiveFigures | undefined,
  line: AgentLineOf<'finished'>,
  heardAtMs: number,
): LiveFigures {
  return {
    ...(before ?? EMPTY),
    elapsedNs: line.length_ns,
    sizeBytes: line.bytes,
    events: line.events,
    drops: line.drops,
    rows: line.rows,
    heardAtMs,
  };
}

const EMPTY: LiveFigures = {
  elapsedNs: 0,
  sizeBytes: 0,
  events: 0,
  eventsPerSecond: 0,
  drops: {},
  rows: {},
  inside: 0,
  processes: 0,
  threads: 0,
  agentCpuPercent: null,
  cpuPercent: [],
  gpuPercent: [],
  rates: [],
  slowest: [],
  heardAtMs: 0,
};

function rate(before: LiveFigures | undefined, line: AgentLineOf<'progress'>): number {
  const ns = line.elapsed_ns - (before?.elapsedNs ?? 0);
  const events = line.events - (before?.events ?? 0);
  return ns > 0 && events > 0 ? (events / ns) * 1e9 : 0;
}

function pushed<T>(series: readonly T[] = [], value: T): readonly T[] {
  return [...series.slice(1 - SERIES_POINTS), value];
}

function slowestOf(
  before: readonly SlowCall[],
  calls: AgentLineOf<'progress'>['slowest'],
): readonly SlowCall[] {
  const added = calls.map(({ name, pid, duration_ns, bytes, direction }) => ({
    name,
    pid,
    durationNs: duration_ns,
    bytes: bytes ?? 0,
    direction: copyDirection(direction ?? 0),
  }));
  return [...before, ...added]
    .sort((one, other) => other.durationNs - one.durationNs)
    .slice(0, SLOWEST_SHOWN);
}

/** Empty: not a copy. */
function copyDirection(code: number): string {
  return code === 0 ? '' : (directions[code] ?? 'unknown');
}
