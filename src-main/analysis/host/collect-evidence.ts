import type { Rank } from '../../shared/answers/jobs.ts';
import { NONE } from '../../shared/model/schema.ts';
import { isReady } from '../../shared/model/task-state.ts';
import type { Role, Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { descendsFrom, processTree } from '../jobs/process-tree.ts';
import { loaderStacks } from '../stacks/loader-stacks.ts';
import { stateCode, stateWhileAsleep } from '../threads/visit-states.ts';
import { HostEvidence } from './host-evidence.ts';
import type { HostStretches } from './host-stretches.ts';
import { interpreterWaits } from './interpreter-lock.ts';
import { isInLibrary, KIND, kindOfStack, loopKinds, type StackKinds } from './stack-kinds.ts';
import { type WaitersJob, type WaitKind, waitKind } from './wait-kinds.ts';

/** Every sample and every wait of the training thread that lies in `stretches`, with what it says by itself. */
export function collectEvidence(trace: Trace, rank: Rank, stretches: HostStretches): HostEvidence {
  const samples = traceIndex(trace).rowsOf('cpu_sample', rank.mainThread);
  const switches = traceIndex(trace).switchesOf(rank.mainThread);
  const found = new HostEvidence(samples.rows.length + switches.rows.length);
  const { durationNs, state } = trace.tables.off_cpu.columns;
  const kinds = loopKinds(trace, rank.mainThread, stretches.window);
  const addSample = sampleAdder(trace, kinds, stretches, found);
  const addWait = waitAdder(trace, rank, kinds, stretches, found);
  let sample = 0;
  let wait = 0;
  const stretchAt = stretchCursor(stretches);
  while (sample < samples.rows.length || wait < switches.rows.length) {
    const sampleNs = samples.startsNs.nsAt(sample) ?? Infinity;
    const waitNs = switches.startsNs.nsAt(wait) ?? Infinity;
    if (sampleNs <= waitNs) {
      const stretch = stretchAt(sampleNs, sampleNs);
      if (stretch !== NONE) addSample(stretch, samples.rows[sample], sampleNs);
      sample++;
    } else {
      const row = switches.rows[wait++];
      if (isReady(state?.[row] ?? -1)) continue;
      const stretch = stretchAt(waitNs, waitNs + durationNs[row]);
      if (stretch !== NONE) addWait(stretch, row, waitNs);
    }
  }
  return found;
}

/** The stretch in which [fromNs, toNs] begins, or that begins within it; asked for in order of time. */
function stretchCursor({
  startsNs,
  endsNs,
}: HostStretches): (fromNs: number, toNs: number) => number {
  return (fromNs, toNs) => {
    const at = upperBound(endsNs, fromNs);
    const isIn = at < startsNs.length && (startsNs[at] <= fromNs || startsNs[at] < toNs);
    return isIn ? at : NONE;
  };
}

function sampleAdder(
  trace: Trace,
  kinds: StackKinds,
  { isPreparing }: HostStretches,
  found: HostEvidence,
) {
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  return (stretch: number, row: number, atNs: number) => {
    const stack = stacks?.[row] ?? NONE;
    const kind = whileRunning(kindOfStack(kinds, stack, isPreparing[stretch] === 1), kinds, stack);
    put(found, { stretch, row, kind, isSample: 1, startNs: atNs, endNs: atNs });
    putStack(found, kinds, stack);
  };
}

/** What is on a CPU in a function that is called like output, and calls none, works: at what will be put out, whatever that is. */
function whileRunning(kind: number, { called }: StackKinds, stack: number): number {
  const isByName = kind === KIND['slow-output'] && called[stack] === KIND.none;
  return isByName ? KIND.none : kind;
}

const FOR_PEERS: ReadonlySet<number> = new Set([KIND['shared-lock'], KIND['slow-server']]);
const FOR_OTHERS: ReadonlySet<number> = new Set([KIND.producer, KIND['thread-lock'], ...FOR_PEERS]);
const COMPUTES: ReadonlySet<number> = new Set([KIND['host-metrics'], KIND['host-data-movement']]);
const OWN_PACE: ReadonlySet<number> = new Set([KIND['slow-output'], KIND.sleep]);

/**
 * Whoever waits for another thread does not compute, and who waits for another process's lock or answer neither puts
 * anything out nor sleeps until a time of its own, whatever its function is called.
 */
function isElsewhere(waits: number, byStack: number): boolean {
  if (FOR_PEERS.has(waits) && OWN_PACE.has(byStack)) return true;
  return FOR_OTHERS.has(waits) && COMPUTES.has(byStack);
}

/** Whether what the wait itself shows says more than the library that was called. */
function saysMore({ kind, isSure }: WaitKind, called: number): boolean {
  if (called === KIND['thread-lock']) return isSure;
  // A pool's threads may only wait for programs.
  if (called === KIND.producer) return isSure && kind === KIND['subprocess-wait'];
  // A library that tries again and again calls what it tries.
  return called === KIND.none || (called === KIND.sleep && FOR_PEERS.has(kind));
}

/** What the loader runs in the training process: its batches, and the lock of the interpreter, pass through them. */
const loaderRoles: ReadonlySet<Role> = new Set<Role>(['pin-memory', 'queue-feeder']);

function waitAdder(
  trace: Trace,
  rank: Rank,
  kinds: StackKinds,
  stretches: HostStretches,
  found: HostEvidence,
) {
  const { stack: stacks, durationNs, waker } = trace.tables.off_cpu.columns;
  const job = waitersJob(trace, rank);
  const isLoaders = (thread: number) => loaderRoles.has(trace.threads[thread]?.role ?? 'other');
  const interpreter = new Set(interpreterWaits(trace, rank, stretches.window)?.rows);
  const computesFor = threadTest(trace, rank);
  return (stretch: number, row: number, startNs: number) => {
    const endNs = startNs + durationNs[row];
    // Where it was stopped says nothing of why.
    if (stateWhileAsleep(trace, row) === stateCode.stopped)
      return put(found, { stretch, row, kind: KIND.stopped, isSample: 0, startNs, endNs });
    const stack = stacks?.[row] ?? NONE;
    const by = waker?.[row] ?? -1;
    const called = kinds.called[stack] ?? KIND.none;
    const wait = isLoaders(by) ? { kind: KIND.loader, isSure: true } : waitKind(trace, row, job);
    const byStack = kindOfStack(kinds, stack, stretches.isPreparing[stretch] === 1);
    const isWeakOutput =
      wait.kind === KIND.checkpoint && kinds.named[stack] === KIND['slow-output'];
    const isHelped = !wait.isSure && by >= 0 && computesFor(by);
    let kind = called;
    if (interpreter.has(row)) kind = KIND.gil;
    else if (wait.kind === KIND.compiling) kind = KIND.compiling;
    else if (isHelped) kind = KIND.helper;
    else if (saysMore(wait, called)) {
      if (isWeakOutput) kind = KIND['slow-output'];
      else if (wait.isSure) kind = wait.kind;
      else kind = byStack === KIND.none || isElsewhere(wait.kind, byStack) ? wait.kind : byStack;
    }
    put(found, { stretch, row, kind, isSample: 0, startNs, endNs });
    putStack(found, kinds, stack);
  };
}

interface Found {
  readonly stretch: number;
  readonly row: number;
  readonly kind: number;
  readonly isSample: 0 | 1;
  readonly startNs: number;
  readonly endNs: number;
}

function put(found: HostEvidence, { stretch, row, kind, isSample, startNs, endNs }: Found): void {
  const at = found.length++;
  found.stretch[at] = stretch;
  found.startsNs[at] = startNs;
  found.endsNs[at] = endNs;
  found.kind[at] = kind;
  found.isOwn[at] = kind === KIND.none ? 0 : 1;
  found.isSample[at] = isSample;
  found.row[at] = row;
  found.place[at] = NONE;
  found.func[at] = NONE;
}

function putStack(found: HostEvidence, kinds: StackKinds, stack: number): void {
  const at = found.length - 1;
  if (found.kind[at] === KIND.none && isInLibrary(kinds, stack)) found.isComputing[at] = 1;
  found.place[at] = kinds.places[stack] ?? NONE;
  found.func[at] = kinds.functions[stack] ?? NONE;
}

function waitersJob(trace: Trace, rank: Rank): WaitersJob {
  const tree = processTree(trace.processes);
  const loader = new Set(rank.generations.flatMap(({ workers }) => workers));
  const isDescendant = (process: number) =>
    process !== rank.process && descendsFrom(tree, process, rank.process);
  const compiles = (process: number) =>
    trace.processes[process]?.role === 'compiler' && isDescendant(process);
  const isProgram = (process: number) =>
    runsAnother(trace.processes, process, rank.process) && isDescendant(process);
  const job = jobIndex(trace).jobOf(rank.process);
  const ranks = new Set(job?.ranks.map(({ process }) => process));
  return { process: rank.process, loader, ranks, isDescendant, isProgram, compiles };
}

/** How Python starts the processes of a pool that are not forked. */
const OF_POOL = /\b(multiprocessing|loky|forkserver)\b/;

/** Whether `process` was started with another command line than `parent`, whose forks have its own. */
function runsAnother(processes: Trace['processes'], process: number, parent: number): boolean {
  const { commandLine } = processes[process] ?? {};
  if (commandLine === undefined || OF_POOL.test(commandLine)) return false;
  return commandLine !== processes[parent]?.commandLine;
}

/**
 * Whether a thread computes for the training thread: it makes its CUDA calls, or is one of its process that runs and never in
 * Python, as those do that share the work of one operation.
 */
function threadTest(trace: Trace, rank: Rank): (thread: number) => boolean {
  const { python } = loaderStacks(trace);
  const { stack } = trace.tables.cpu_sample.columns;
  const known = new Map<number, boolean>();
  const isHelper = (thread: number) => {
    if (trace.threads[thread]?.process !== rank.process) return false;
    const { rows } = traceIndex(trace).rowsOf('cpu_sample', thread);
    const seen = rows.filter((row) => (stack?.[row] ?? NONE) !== NONE);
    return seen.length > 0 && seen.every((row) => python[stack?.[row] ?? NONE] === NONE);
  };
  return (thread) => {
    if (thread !== rank.mainThread && rank.cudaThreads.includes(thread)) return true;
    const answer = known.get(thread) ?? isHelper(thread);
    known.set(thread, answer);
    return answer;
  };
}
