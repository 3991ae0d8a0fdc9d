import type { GpuWorked } from '../../shared/answers/summary.ts';
import { gpuLabel } from '../../shared/model/hosts.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { spansLength } from '../index/spans.ts';
import { deviceSpans } from './device-spans.ts';
import { devicesOf, gpuOfDevice } from './devices.ts';
import { recordLimits } from './record-limits.ts';

/** How busy each GPU was by its own records, where these tell all that it ran. */
export function gpuWorked(trace: Trace): GpuWorked[] {
  const { thread } = trace.tables.cuda_call.columns;
  const callers = new Set(Array.from(thread, (each) => trace.threads[each]?.process ?? -1));
  const told = [...callers].filter(
    (process) => process >= 0 && recordLimits(trace, process).blind === undefined,
  );
  const used = told.flatMap((process) =>
    devicesOf(trace).usedBy([process], trace.processes[process]?.host ?? 0),
  );
  return [...new Set(used)]
    .sort((a, b) => a - b)
    .map((device) => {
      const { busy, computing } = deviceSpans(trace, device);
      const gpu = gpuOfDevice(device);
      return {
        label: gpu === undefined || trace.gpus.length < 2 ? 'GPU' : gpuLabel(trace, gpu),
        busyNs: spansLength(busy),
        computingNs: spansLength(computing),
        overNs: (busy.endsNs.at(-1) ?? 0) - (busy.startsNs[0] ?? 0),
      };
    });
}
