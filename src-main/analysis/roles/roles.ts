import { type SetRole, setRoleFinder } from '../../shared/library/set-role.ts';
import { codeOf, processEventKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { ProcessInfo, Role, Trace } from '../../shared/model/trace.ts';
import { formatCount, plural } from '../../shared/text/units.ts';
import { traceIndex } from '../index/trace-index.ts';
import { type CudaCallCounts, countCudaCalls } from '../jobs/cuda-threads.ts';
import { findRanks } from '../jobs/find-ranks.ts';
import { type ProcessTree, processTree } from '../jobs/process-tree.ts';
import { inferenceSign } from './inference-signs.ts';
import { isWorkerByBirth, shownWorkers } from './loader-signs.ts';
import { requestLoopSign } from './request-loop.ts';
import { KERNEL_THREAD_NAME, PIN_THREAD_NAME, WORKER_NAME } from './role-names.ts';
import {
  compilerSign,
  isBuildTool,
  ownServerSign,
  serverSign,
  serversAbove,
} from './server-signs.ts';
import { threadsWithRoles } from './thread-roles.ts';
import { areLoopsTold, showsTraining } from './training-signs.ts';
import { lineageJudge } from './worker-lineage.ts';

const EXEC = codeOf(processEventKinds, 'exec');

interface Verdict {
  readonly role: Role;
  readonly basis: string;
  readonly isSet?: true;
}

/**
 * `trace` with the role of every process and thread and why each has it. What the user `set` wins, then
 * what the source said itself. Rules, in this order: kernel threads by parent or name; workers by
 * PyTorch's own names; main by CUDA calls; unnamed workers by lineage; servers among the mains; compilers
 * by name; where what threads wait in is not recorded, mains that nothing shows to train; elsewhere mains that run
 * their model over batches; launchers by whom they started; the rest is other.
 */
export function withRoles(trace: Trace, set: readonly SetRole[] = []): Trace {
  traceIndex(trace).prepare();
  const calls = countCudaCalls(trace);
  const verdicts = judgeProcesses(trace, calls, set);
  const judged = trace.processes.map((process, index) => withVerdict(process, verdicts[index]));
  const processes = withLaunchers(trace, judged);
  const threads = threadsWithRoles(trace, processes, (thread) => calls.all[thread] > 0);
  return { ...trace, processes, threads };
}

function withVerdict(process: ProcessInfo, { role, basis, isSet }: Verdict): ProcessInfo {
  return { ...process, role, roleBasis: basis, ...(isSet && { roleSet: isSet }) };
}

/** Who started training processes and trains nothing itself, where nobody said otherwise. */
function withLaunchers(trace: Trace, processes: readonly ProcessInfo[]): readonly ProcessInfo[] {
  const tree = processTree(processes);
  const found = findRanks({ ...trace, processes }, tree, countCudaCalls(trace));
  if (found.launchers.size === 0) return processes;
  const started = new Map<number, number>();
  const servers = new Set<number>();
  found.jobKeys.forEach((key, at) => {
    const launcher = found.launchers.get(key);
    if (launcher === undefined) return;
    started.set(launcher, (started.get(launcher) ?? 0) + 1);
    if (processes[found.processes[at]]?.role === 'server') servers.add(launcher);
  });
  return processes.map((process, index) => {
    const ranks = started.get(index);
    const isFree = ['main', 'inference', 'gpu-process', 'other'].includes(process.role);
    if (ranks === undefined || !isFree || process.roleSet === true) return process;
    const basis = servers.has(index)
      ? `started ${plural(ranks, 'process', 'processes')} of a model server and makes fewer CUDA calls itself`
      : `started ${plural(ranks, 'training process', 'training processes')} and trains nothing itself`;
    return { ...process, role: 'launcher', roleBasis: basis };
  });
}

function judgeProcesses(trace: Trace, calls: CudaCallCounts, set: readonly SetRole[]): Verdict[] {
  const names = processNames(trace);
  const setRoleOf = setRoleFinder(set, trace);
  const total = calls.byProcess.reduce((sum, count) => sum + count, 0);
  const made = madeByProcess(trace, calls);
  const most = calls.byProcess.reduce((highest, count) => Math.max(highest, count), 0);
  const shown = shownWorkers(trace);
  const verdicts = trace.processes.map(
    (process, index) =>
      saidByUser(setRoleOf(process)) ??
      saidBySource(process, shown.has(index)) ??
      byName(trace, process, names[index]) ??
      byCalls(calls.byProcess[index], most, total, made(index)),
  );
  if (total === 0) markParentsOfWorkers(trace, verdicts);
  markByLineage(trace, verdicts);
  demoteChildrenOfWorkers(trace, verdicts);
  markServers(trace, verdicts);
  markUnknownLoops(trace, verdicts);
  markInference(trace, verdicts);
  return verdicts.map(
    (verdict, index) => verdict ?? { role: 'other', basis: otherBasis(trace, index) },
  );
}

/**
 * Who makes CUDA calls to answer requests serves, and so do its own front ends; who has DataLoader workers
 * trains. What a framework starts to compile its kernels is told too.
 */
function markServers(trace: Trace, verdicts: (Verdict | undefined)[]): void {
  const tree = processTree(trace.processes);
  const hasWorkers = new Set<number>();
  verdicts.forEach((verdict, index) => {
    if (verdict?.role === 'dataloader-worker') hasWorkers.add(tree.parents[index]);
  });
  const isMain = verdicts.map((verdict) => verdict?.role === 'main');
  // Where nobody makes CUDA calls, a server that is named as one is all that is known of the job.
  const kin = isMain.includes(true)
    ? kinOf(tree, isMain)
    : kinOf(
        tree,
        trace.processes.map((_, process) => ownServerSign(trace, process) !== undefined),
      );
  const above = serversAbove(trace, tree);
  verdicts.forEach((verdict, index) => {
    if (verdict?.isSet || hasWorkers.has(index)) return;
    const { parent } = trace.processes[index];
    if (verdict?.role === 'main') {
      const sign = serverSign(trace, index, above[index]) ?? requestLoopSign(trace, index, tree);
      if (sign !== undefined)
        verdicts[index] = { role: 'server', basis: `${sign}; ${verdict.basis}` };
    } else if (verdict === undefined && kin[index]) {
      const sign = ownServerSign(trace, index);
      const starter = trace.processes[parent];
      const compiles = starter && compilerSign(trace.processes[index], starter);
      if (sign !== undefined) verdicts[index] = { role: 'server', basis: sign };
      else if (compiles !== undefined) verdicts[index] = { role: 'compiler', basis: compiles };
    }
  });
  markBuildTools(trace, verdicts, tree);
}

/** A shell or a make that starts compilers and nothing else is one of them: the job waits for it. */
function markBuildTools(
  trace: Trace,
  verdicts: (Verdict | undefined)[],
  { order, parents }: ProcessTree,
): void {
  const children = Map.groupBy(parents.keys(), (process) => parents[process]);
  for (const process of order.toReversed()) {
    const [first, ...others] = children.get(process) ?? [];
    if (first === undefined || verdicts[process] !== undefined) continue;
    const isBuilding = [first, ...others].every((each) => verdicts[each]?.role === 'compiler');
    const { pid, name } = trace.processes[first];
    if (isBuilding && isBuildTool(trace.processes[process].name))
      verdicts[process] = { role: 'compiler', basis: `started the compiler ${name} (${pid})` };
  }
}

/**
 * A process that only makes CUDA calls trains, unless it is found to serve: but where what it waits in is
 * not recorded, none can be found to.
 */
function markUnknownLoops(trace: Trace, verdicts: (Verdict | undefined)[]): void {
  if (areLoopsTold(trace)) return;
  const hostsWithWorkers = new Set(
    verdicts.flatMap((verdict, index) =>
      verdict?.role === 'dataloader-worker' ? [trace.processes[index].host ?? 0] : [],
    ),
  );
  // The ranks of a run do the same.
  const trainingRuns = new Set(
    trace.processes.flatMap(({ worldSize = 1 }, index) =>
      worldSize > 1 && showsTraining(trace, index) ? [worldSize] : [],
    ),
  );
  verdicts.forEach((verdict, index) => {
    const process = trace.processes[index];
    const isSaid = verdict?.isSet === true || process.role !== 'other';
    if (verdict?.role !== 'main' || isSaid || hostsWithWorkers.has(process.host ?? 0)) return;
    const isOfRun = process.worldSize !== undefined && trainingRuns.has(process.worldSize);
    if (isOfRun || showsTraining(trace, index)) return;
    const basis = `${verdict.basis}; whether it trains or answers requests is not known`;
    verdicts[index] = { role: 'gpu-process', basis };
  });
}

/** What serves is known by now: what is left, shows that it runs its model and not that it trains it, infers. */
function markInference(trace: Trace, verdicts: (Verdict | undefined)[]): void {
  if (!areLoopsTold(trace)) return;
  verdicts.forEach((verdict, index) => {
    // A recorder that calls it the main process says that it uses CUDA, not what for.
    if (verdict?.role !== 'main' || verdict.isSet || showsTraining(trace, index)) return;
    const sign = inferenceSign(trace, index);
    if (sign === undefined) return;
    const basis = `${sign}, and nothing shows that it trains; ${verdict.basis}`;
    verdicts[index] = { role: 'inference', basis };
  });
}

/**
 * By process, whether it is one of `members`, started one or descends from one: others on the machine
 * compile and serve too.
 */
function kinOf({ parents, order }: ProcessTree, members: readonly boolean[]): readonly boolean[] {
  const leads = [...members];
  const descends = [...members];
  for (const process of order) if (descends[parents[process]]) descends[process] = true;
  for (const process of order.toReversed())
    if (leads[process] && parents[process] >= 0) leads[parents[process]] = true;
  return leads.map((isLeading, process) => isLeading || descends[process]);
}

/** The name of each process, or of its first thread where it has none. */
function processNames(trace: Trace): string[] {
  const names = trace.processes.map(({ name }) => name);
  for (const thread of trace.threads) {
    const process = trace.processes[thread.process];
    if (process !== undefined && thread.tid === process.pid && names[thread.process] === '')
      names[thread.process] = thread.name;
  }
  return names;
}

function saidByUser(role: Role | undefined): Verdict | undefined {
  return role && { role, basis: 'set by you', isSet: true };
}

/** `isShown`: that a worker by birth is one of PyTorch's loader. */
function saidBySource(process: ProcessInfo, isShown: boolean): Verdict | undefined {
  if (isWorkerByBirth(process) && !isShown) return undefined;
  return process.role === 'other' ? undefined : { role: process.role, basis: process.roleBasis };
}

function byName(trace: Trace, process: ProcessInfo, name: string): Verdict | undefined {
  const parent = trace.processes[process.parent];
  const startedBy = parent === undefined ? '' : `, started by ${parent.pid}`;
  if (name === WORKER_NAME) {
    const basis = `named ${name}, PyTorch’s name for a DataLoader worker${startedBy}`;
    return { role: 'dataloader-worker', basis };
  }
  if (name === PIN_THREAD_NAME) {
    const basis = `named ${name}, PyTorch’s name for the thread that pins batches${startedBy}`;
    return { role: 'pin-memory', basis };
  }
  return kernelVerdict(process, name, parent);
}

function kernelVerdict(
  process: ProcessInfo,
  name: string,
  parent: ProcessInfo | undefined,
): Verdict | undefined {
  if (process.pid === 0) return { role: 'kernel', basis: 'the idle task of a CPU' };
  if (parent?.pid === 2) return { role: 'kernel', basis: 'started by kthreadd' };
  // A user's process may call itself kworker/0:1; one with another parent is not believed.
  if (parent !== undefined && parent.pid !== 0) return undefined;
  if (!KERNEL_THREAD_NAME.test(name)) return undefined;
  return { role: 'kernel', basis: `named ${name}, as kernel threads are` };
}

/** The figures that the Processes tab shows too: nested calls counted once. */
interface Made {
  readonly calls: number;
  readonly all: number;
  readonly isAtLeast: boolean;
}

function madeByProcess(trace: Trace, { made }: CudaCallCounts): (process: number) => Made {
  const byProcess = new Float64Array(trace.processes.length);
  let all = 0;
  trace.threads.forEach(({ process }, at) => {
    if (process in byProcess) byProcess[process] += made.calls[at];
    all += made.calls[at];
  });
  const isAtLeast = made.isAtLeast.includes(1);
  return (process) => ({ calls: byProcess[process], all, isAtLeast });
}

function byCalls(calls: number, most: number, total: number, made: Made): Verdict | undefined {
  if (calls === 0) return undefined;
  const least = made.isAtLeast ? 'at least ' : '';
  if (calls === total)
    return {
      role: 'main',
      basis: made.isAtLeast
        ? `makes all CUDA calls of this trace, ${least}${formatCount(made.calls)}`
        : `makes ${made.calls === 1 ? 'the only CUDA call' : `all ${formatCount(made.calls)} CUDA calls`} of this trace`,
    };
  const share = `${least}${formatCount(made.calls)} of ${formatCount(made.all)}`;
  const basis =
    calls === most
      ? `makes the most CUDA calls of this trace (${share})`
      : `makes CUDA calls too (${share})`;
  return { role: 'main', basis };
}

/** Without CUDA calls, who started the workers is the main process. */
function markParentsOfWorkers(trace: Trace, verdicts: (Verdict | undefined)[]): void {
  trace.processes.forEach(({ parent }, index) => {
    if (verdicts[index]?.role !== 'dataloader-worker' || parent < 0) return;
    verdicts[parent] ??= { role: 'main', basis: 'started the DataLoader workers' };
  });
}

function markByLineage(trace: Trace, verdicts: (Verdict | undefined)[]): void {
  const isMain = verdicts.map((verdict) => verdict?.role === 'main');
  const isNamed = verdicts.map((verdict) => verdict?.role === 'dataloader-worker');
  const lineageOf = lineageJudge(trace, traceIndex(trace).activity(), isNamed);
  const hasExeced = programsStarted(trace);
  verdicts.forEach((verdict, index) => {
    const { parent, roleBasis } = trace.processes[index];
    if (verdict !== undefined || !isMain[parent]) return;
    // A program of its own, as a reader of the log: a worker goes on in the code of its parent. And who recorded it may know better.
    if (hasExeced.has(index) || roleBasis !== '') return;
    const basis = lineageOf(index);
    if (basis !== undefined) verdicts[index] = { role: 'dataloader-worker', basis };
  });
}

/** Processes that began another program. */
function programsStarted({ tables, threads }: Trace): Set<number> {
  const { thread, kind } = tables.process_event.columns;
  const started = new Set<number>();
  for (let row = 0; row < thread.length; row++)
    if (kind[row] === EXEC) started.add(threads[thread[row]]?.process ?? NONE);
  return started;
}

/** A worker's threads and children inherit its name, and its loop's frames; they are part of it, not workers themselves. */
function demoteChildrenOfWorkers(trace: Trace, verdicts: (Verdict | undefined)[]): void {
  const isWorker = verdicts.map((verdict) => verdict?.role === 'dataloader-worker');
  trace.processes.forEach((process, index) => {
    const parent = trace.processes[process.parent];
    if (!isWorker[index] || !isWorker[process.parent] || verdicts[index]?.isSet) return;
    if (process.role !== 'other' && !isWorkerByBirth(process)) return;
    const basis = `${process.role === 'other' ? 'named' : 'born'} like a DataLoader worker, but started by the worker ${parent.pid}: a thread or child of it`;
    verdicts[index] = { role: 'other', basis };
  });
}

function otherBasis(trace: Trace, index: number): string {
  const process = trace.processes[index];
  if (isWorkerByBirth(process))
    return `${process.roleBasis}, but nothing shows PyTorch’s loader in it: a child of the job’s own`;
  const parent = trace.processes[process.parent];
  const startedBy = parent === undefined ? '' : `started by ${parent.pid}; `;
  return `${startedBy}no CUDA calls of it are in this trace, and nothing marks it as a DataLoader worker`;
}
