import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { ProcessTree } from './process-tree.ts';

/** What the recorders' processes are called, by format, as its importer names them. */
const RECORDER_NAMES: Readonly<Record<string, string>> = {
  Stalltrace: 'stalltrace-agent',
  Ingero: 'ingero',
};

/**
 * By process, 1 where it wrote this trace or was started by what did, as nvidia-smi is: not the
 * command it recorded, nor a shell between the two.
 */
export function recorderProcesses(
  trace: Trace,
  { parents, order }: ProcessTree,
  jobProcesses: Int32Array,
): Uint8Array {
  const isOfJob = new Uint8Array(parents.length);
  const isRecorder = new Uint8Array(parents.length);
  const name = RECORDER_NAMES[trace.meta.format];
  if (name === undefined) return isRecorder;
  for (let at = order.length - 1; at >= 0; at--) {
    const process = order[at];
    if (jobProcesses[process] !== NONE) isOfJob[process] = 1;
    if (isOfJob[process] === 1 && parents[process] !== NONE) isOfJob[parents[process]] = 1;
  }
  for (const process of order) {
    const isChild = isRecorder[parents[process]] === 1 && isOfJob[process] === 0;
    const isItself = trace.processes[process].name === name && jobProcesses[process] === NONE;
    if (isChild || isItself) isRecorder[process] = 1;
  }
  return isRecorder;
}
