import type { GpuWorked } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type Spans, spansLength, spansWithout } from '../index/spans.ts';
import { deviceSpans, spansBoth, spansOfAny, wholeSpan } from './device-spans.ts';
import { deviceLabel, devicesOf, gpuOfDevice } from './devices.ts';
import { recordLimits } from './record-limits.ts';

/** How busy each GPU was by its own records, where these tell all that it ran. */
export function gpuWorked(trace: Trace): GpuWorked[] {
  const { thread } = trace.tables.cuda_call.columns;
  const callers = new Set(Array.from(thread, (each) => trace.threads[each]?.process ?? -1));
  const unseenOn = new Map<number, Spans[]>();
  for (const process of callers) {
    if (process < 0) continue;
    const { blind, unseen } = recordLimits(trace, process);
    if (blind !== undefined) continue;
    const host = trace.processes[process]?.host ?? 0;
    for (const device of devicesOf(trace).usedBy([process], host))
      unseenOn.set(device, [...(unseenOn.get(device) ?? []), unseen]);
  }
  return [...unseenOn]
    .sort(([a], [b]) => a - b)
    .map(([device, unseen]) => workedOf(trace, device, spansOfAny(unseen)));
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
    overNs: lastNs - firstNs,
    unknownNs: spansLength(spansBoth(quiet, unseen)),
  };
}
