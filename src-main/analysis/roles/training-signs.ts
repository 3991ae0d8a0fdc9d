import { NONE } from '../../shared/model/schema.ts';
import { nameInClass } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { callFrames } from './call-frames.ts';
import { roleByThreadName } from './role-names.ts';

const TRAINING_NAME = /(^|[^a-z])(pre|re)?train|fine[-_]?tun/i;
/** Ranges that a training loop, its profiler or autograd makes. */
const TRAINING_RANGE = /^ProfilerStep#|^enumerate\(DataLoader\)#|backward|^optimizer/i;
/** torch.no_grad lives among what computes gradients, and is no sign of them. */
const TRAINING_FILE =
  /(^|\/)(torch\/(optim|autograd)\/(?!grad_mode\.py)|transformers\/trainer|lightning\/.*\/loops\/|[^/]*(pre|fine|^|[^a-z])(train|tune)[^/]*\.py$)/;
const TRAINING_FUNCTION = /^(backward|optimizer_step|train(ing)?(_(step|epoch|loop|one_epoch))?)$/;

/**
 * Whether the trace records what threads wait in, by which a server is told (request-loop.ts). Where the
 * recorder leaves it out, a process that makes CUDA calls may train or serve.
 */
export function areLoopsTold({ tables }: Trace): boolean {
  const { columns, columnProvenance } = tables.off_cpu;
  return columns.syscall !== undefined || columnProvenance.syscall?.kind !== 'absent';
}

/** Whether something shows that `process` trains: its name, its ranges, its threads or the code that it runs. */
export function showsTraining(trace: Trace, process: number): boolean {
  const { name, commandLine = '' } = trace.processes[process];
  return (
    TRAINING_NAME.test(name) || TRAINING_NAME.test(commandLine) || runsTraining(trace, process)
  );
}

/** The same by what `process` does only: what it is called may be the model that it answers with. */
export function runsTraining(trace: Trace, process: number): boolean {
  return signs(trace)[process] === 1;
}

/** By process, 1 where a thread, a range or a stack of it is one of training. */
const signs = perTrace((trace): Uint8Array => {
  const found = new Uint8Array(trace.processes.length);
  const see = (thread: number) => {
    const process = trace.threads[thread]?.process ?? NONE;
    if (process !== NONE) found[process] = 1;
  };
  trace.threads.forEach(({ name }, thread) => {
    const role = roleByThreadName(name)?.role;
    if (role === 'autograd' || role === 'pin-memory') see(thread);
  });
  const { op, thread } = trace.tables.range.columns;
  const isTraining = trace.names.map(
    (name) => TRAINING_RANGE.test(name) || TRAINING_NAME.test(name),
  );
  op.forEach((name, row) => {
    if (isTraining[name]) see(thread[row]);
  });
  const frames = callFrames(
    trace,
    ({ symbol, file = '' }) =>
      TRAINING_FILE.test(file) || TRAINING_FUNCTION.test(nameInClass(symbol)),
  );
  for (const process of frames.keys()) found[process] = 1;
  return found;
});
