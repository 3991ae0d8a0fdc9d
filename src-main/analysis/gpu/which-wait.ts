import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatCount } from '../../shared/text/units.ts';
import { devicesOf } from './devices.ts';
import { workAhead } from './meanwhile.ts';
import { streamOf } from './meanwhile-kinds.ts';

const DEVICE_WAIT = /^(cuda|cu)(Device|Ctx|Thread)Sync/;

/** Why it cannot be told for which of the work ahead of it a call waited, one sentence; undefined where it can. */
export function whichWaitOpen(trace: Trace, call: number): string | undefined {
  const name = trace.names[trace.tables.cuda_call.columns.op[call]] ?? '';
  if (cudaOpKind(name) !== 'sync' || streamOf(trace, call) !== NONE) return undefined;
  const ahead = workAhead(trace, call);
  const { deviceOf } = devicesOf(trace);
  const { stream } = trace.tables.gpu_work.columns;
  const gpus = new Set(ahead.map(deviceOf)).size;
  const streams = new Set(ahead.map((row) => `${deviceOf(row)} ${stream?.[row]}`)).size;
  const ended = (of: string) => `work of ${of} had ended when it came back.`;
  if (DEVICE_WAIT.test(name))
    return gpus > 1
      ? `It waited for one GPU, and which is not recorded: ${ended(`${formatCount(gpus)} GPUs`)}`
      : undefined;
  return streams > 1
    ? `It waited for one stream, or an event in one, and which is not recorded: ${ended(`${formatCount(streams)} streams`)}`
    : undefined;
}
