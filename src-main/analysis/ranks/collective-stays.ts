import type { Rank } from '../../shared/answers/jobs.ts';
import { isCollectiveKernel } from '../../shared/model/collective-names.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { devicesOf } from '../gpu/devices.ts';
import type { Spans } from '../index/spans.ts';
import { PHASE } from '../loop/phase-list.ts';
import { workName } from '../operations/gpu-record.ts';
import type { Phases } from '../steps/phases.ts';

/** When one rank was in collectives, each from when it came in: in order of start. */
export interface Stays extends Spans {
  /** By the GPU's own records: then none is missing, and what is not there the rank had no part in. */
  readonly isRecorded: boolean;
}

/** Those within its window: kernels of collectives where the GPU's records have any, else stretches of the main thread. */
export function collectiveStays(trace: Trace, rank: Rank, phases: Phases): Stays {
  const [fromNs, toNs] = phases.summary.window;
  const recorded = kernelStays(trace, rank);
  const all = recorded.length > 0 ? recorded : phaseStays(phases);
  const found = all.filter(([startNs, endNs]) => startNs >= fromNs && endNs <= toNs);
  return {
    startsNs: Float64Array.from(found, ([startNs]) => startNs),
    endsNs: Float64Array.from(found, ([, endNs]) => endNs),
    isRecorded: recorded.length > 0,
  };
}

type Stay = readonly [startNs: number, endNs: number];

function kernelStays(trace: Trace, rank: Rank): Stay[] {
  const { op, durationNs } = trace.tables.gpu_work.columns;
  const devices = devicesOf(trace);
  const own = new Set(rank.processes);
  const known = new Map<number, boolean>();
  const isCollective = (name: number) => {
    const answer = known.get(name) ?? isCollectiveKernel(workName(trace, name));
    known.set(name, answer);
    return answer;
  };
  const host = trace.processes[rank.process]?.host ?? 0;
  const stays: Stay[] = [];
  for (const device of devices.usedBy(rank.processes, host)) {
    const { rows, startsNs } = devices.rowsOn(device);
    for (let at = 0; at < rows.length; at++)
      if (isCollective(op[rows[at]]) && own.has(devices.processOf(rows[at])))
        stays.push([startsNs.nsAt(at), startsNs.nsAt(at) + durationNs[rows[at]]]);
  }
  return stays.sort((a, b) => a[0] - b[0]);
}

/** Stretches of the main thread, those that follow each other as one. */
function phaseStays({ startsNs, endsNs, phases }: Phases): Stay[] {
  const stays: Stay[] = [];
  for (let at = 0; at < phases.length; at++) {
    if (phases[at] !== PHASE.collective) continue;
    const last = stays.at(-1);
    if (last !== undefined && last[1] === startsNs[at])
      stays[stays.length - 1] = [last[0], endsNs[at]];
    else stays.push([startsNs[at], endsNs[at]]);
  }
  return stays;
}
