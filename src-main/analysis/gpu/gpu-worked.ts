import type { GpuWorked } from '../../shared/answers/summary.ts';
import { codeOf, gpuWorkKinds } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import {
  SpanList,
  type Spans,
  spansBoth,
  spansLength,
  spansOfAny,
  spansWithout,
} from '../index/spans.ts';
import { deviceSpans, wholeSpan } from './device-spans.ts';
import { deviceLabel, devicesOf, gpuOfDevice } from './devices.ts';
import { recordLimits } from './record-limits.ts';

/** How busy each GPU was by its own records, where these tell all that it ran for the processes that are recorded. */
export function gpuWorked(trace: Trace): GpuWorked[] {
  const { thread } = trace.tables.cuda_call.columns;
  const callers = new Set(Array.from(thread, (each) => trace.threads[each]?.process ?? -1));
  const limits = [...callers]
    .filter((process) => process >= 0)
    .map((process) => ({ process, ...recordLimits(trace, process) }));
  const used = limits.map(({ process, ...known }) => ({
    ...known,
    devices: devicesOf(trace).usedBy([process], trace.processes[process]?.host ?? 0),
  }));
  const devices = [...new Set(used.flatMap((each) => each.devices))].sort((a, b) => a - b);
  return devices.flatMap((device) => {
    const users = used.filter((each) => each.devices.includes(device));
    // What it ran for one of them may have filled the time in which it did nothing for the others.
    if (users.some(({ blind, isLeast }) => blind !== undefined && isLeast !== true)) return [];
    return [workedOf(trace, device, spansOfAny(users.map(({ unseen }) => unseen)))];
  });
}

const KERNEL = codeOf(gpuWorkKinds, 'kernel');

/** How long any kernel ran, those of collectives too. */
function kernelNs(trace: Trace, device: number): number {
  const { durationNs, kind } = trace.tables.gpu_work.columns;
  const { rows, startsNs } = devicesOf(trace).rowsOn(device);
  const kernels = new SpanList([-Infinity, Infinity]);
  for (let at = 0; at < rows.length; at++)
    if (kind?.[rows[at]] === KERNEL)
      kernels.add(startsNs.nsAt(at), startsNs.nsAt(at) + durationNs[rows[at]]);
  return spansLength(kernels.spans());
}

function workedOf(trace: Trace, device: number, unseen: Spans): GpuWorked {
  const { busy, computing } = deviceSpans(trace, device);
  const [firstNs, lastNs] = [busy.startsNs[0] ?? 0, busy.endsNs.at(-1) ?? 0];
  const quiet = spansWithout(wholeSpan([firstNs, lastNs]), busy);
  return {
    ...gpuOfDevice(trace, device),
    label: deviceLabel(trace, device),
    busyNs: spansLength(busy),
    computingNs: spansLength(computing),
    kernelNs: kernelNs(trace, device),
    overNs: lastNs - firstNs,
    unknownNs: spansLength(spansBoth(quiet, unseen)),
  };
}
