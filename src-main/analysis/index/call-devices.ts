import { gpuKinds, hostIndexOf, hostNote } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from './per-trace.ts';

/** On which machine and kind of GPU calls were made: only those of one are compared. */
export interface CallDevices {
  /** Equal for calls on one machine and kind of GPU. */
  of(call: number): number;
  /** What tells that place from the others of the trace; nothing where there is one only. */
  nameOf(call: number): string | undefined;
}

export const callDevices = perTrace(createDevices);

function createDevices(trace: Trace): CallDevices {
  const { models, ofGpu } = gpuKinds(trace);
  if (trace.hosts.length <= 1 && models.length <= 1)
    return { of: () => 0, nameOf: () => undefined };
  const { thread, stream } = trace.tables.cuda_call.columns;
  const hostOf = Int32Array.from(trace.threads, (_, index) => hostIndexOf(trace, index));
  const kindsOnHost = trace.hosts.map(
    (_, host) => new Set(ofGpu.filter((_kind, gpu) => (trace.gpus[gpu].host ?? 0) === host)),
  );
  const kindOf = Int32Array.from(
    trace.streams,
    ({ context }) => ofGpu[trace.contexts[context]?.gpu ?? NONE] ?? NONE,
  );
  const host = (call: number) => hostOf[thread[call]] ?? 0;
  // Of a machine with one kind of GPU the stream need not be known.
  const kind = (call: number) =>
    (kindsOnHost[host(call)]?.size ?? 0) > 1 ? (kindOf[stream?.[call] ?? NONE] ?? NONE) : NONE;
  return {
    of: (call) => host(call) * (models.length + 1) + kind(call) + 1,
    nameOf: (call) =>
      [hostNote(trace, { host: host(call) }), models[kind(call)]].filter(Boolean).join(' · ') ||
      undefined,
  };
}
