import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { awaitedFile } from '../threads/awaited-file.ts';
import { callOf } from '../threads/blocked-on.ts';
import { readyNsOf } from '../threads/off-cpu-row.ts';
import { passedOnFrom } from '../threads/passed-on.ts';
import { peerOf } from '../threads/peers.ts';
import { sharedLock } from '../threads/shared-lock.ts';
import { stateCode, stateWhileAsleep } from '../threads/visit-states.ts';
import { visitWaitsBack, wakerOfOwnProcess } from '../threads/waits-of-waker.ts';
import { KIND } from './stack-kinds.ts';

/** What a wait of the training thread was by its system call, its file and who ended it: without any stack. */
export interface WaitKind {
  /** Code of hostKinds. */
  readonly kind: number;
  /** Whether nothing but that can be meant; otherwise the job's own function names say more. */
  readonly isSure: boolean;
}

/** What the wait depends on besides its row: the processes of the job. */
export interface WaitersJob {
  readonly process: number;
  /** Processes of the loader. */
  readonly loader: ReadonlySet<number>;
  /** The main processes of all ranks of the job. */
  readonly ranks: ReadonlySet<number>;
  /** Whether a process was started by the training process, directly or not. */
  readonly isDescendant: (process: number) => boolean;
  /** Whether that runs another program, and is no process of a pool, which is forked or spawned. */
  readonly isProgram: (process: number) => boolean;
  /** Whether a process that it started compiles code. */
  readonly compiles: (process: number) => boolean;
}

const CHILD = /^(wait4|waitid|vfork)$/;
const SYNCS = /^((f|fdata|m)?sync|syncfs|sync_file_range)$/;
const WRITES =
  /^(p?writev?(64|2)?|sendfile|copy_file_range|fallocate|ftruncate|truncate|rename(at2?)?)$/;
const SENDS = /^(p?writev?(64|2)?|send(to|msg|mmsg|file)|splice|tee|vmsplice)$/;
const SLEEPS = /^(clock_)?nanosleep$/;
const POLLS = /^(p?poll|p?select6?|epoll_p?wait2?)$/;
const READS = /^(p?readv?(64|2)?|recv(from|msg|mmsg))$/;
const LOCKS = /^futex\w*$/;
const EPOLLS = /^epoll/;

/** A pipe, a socket or a terminal: what is written there somebody else reads. */
const STREAM = /^(pipe|socket)\b|named pipe|^\/dev\/(pts\/|tty|console)|^character device$/;
/** A socket of a network, by its other end: what is sent there is a request, or the answer to one. */
const NETWORK = /^socket (to|from) /;
/** Files that lines are written to. */
const LOG_FILE = /\.(log|txt|csv|tsv|jsonl|out|err)\b|tfevents/;

const TASK = codeOf(wakeContexts, 'task');
const TIMER = codeOf(wakeContexts, 'timer');

const NOTHING: WaitKind = { kind: KIND.none, isSure: false };

/** Undefined = it only says that the thread waited. */
export function waitKind(trace: Trace, row: number, job: WaitersJob): WaitKind {
  const lock = sharedLock(trace, row);
  // Of a semaphore it is not known whether it is a lock.
  if (lock !== undefined) return { kind: KIND['shared-lock'], isSure: lock.kind !== 'memory' };
  const by = wakerProcess(trace, row);
  if (job.loader.has(by)) return { kind: KIND.loader, isSure: true };
  const call = callOf(trace, row);
  if (call === undefined) return NOTHING;
  const isRead = READS.test(call) || POLLS.test(call);
  if ((CHILD.test(call) || isRead) && job.compiles(by))
    return { kind: KIND.compiling, isSure: true };
  if (CHILD.test(call)) return { kind: KIND['subprocess-wait'], isSure: true };
  const file = awaitedFile(trace, row)?.name ?? '';
  if (SENDS.test(call) && isStream(trace, row, file) && !NETWORK.test(file))
    return { kind: KIND['slow-output'], isSure: true };
  if (writesFile(trace, row)) {
    const isLog = LOG_FILE.test(file);
    return { kind: isLog ? KIND['slow-output'] : KIND.checkpoint, isSure: true };
  }
  if (isRead && by >= 0 && job.isDescendant(by))
    return { kind: KIND['subprocess-wait'], isSure: true };
  if (LOCKS.test(call) && isThroughProgram(trace, row, job))
    return { kind: KIND['subprocess-wait'], isSure: true };
  const isForServer = isForPeer(trace, row, call, job);
  return {
    kind: isForServer ? KIND['slow-server'] : pauseKind(trace, row, call, by, job),
    isSure: false,
  };
}

/** Whether it waited for a server or another process that is known, none of the loader's and no other rank. */
function isForPeer(trace: Trace, row: number, call: string, job: WaitersJob): boolean {
  // What its time was up for did not come.
  if (POLLS.test(call) && contextOf(trace, row) === TIMER) return false;
  const peer = peerOf(trace, row);
  if (peer === undefined || peer.process === job.process) return false;
  return !job.loader.has(peer.process) && !job.ranks.has(peer.process);
}

function contextOf({ tables }: Trace, row: number): number {
  return tables.off_cpu.columns.wakerContext?.[row] ?? 0;
}

/** Whether a thread waited there until a disk had taken what it writes to a file. */
export function writesFile(trace: Trace, row: number): boolean {
  const call = callOf(trace, row) ?? '';
  if (SYNCS.test(call)) return true;
  return WRITES.test(call) && isOnDisk(trace, row, awaitedFile(trace, row)?.name ?? '');
}

function pauseKind(trace: Trace, row: number, call: string, by: number, job: WaitersJob): number {
  const context = contextOf(trace, row);
  if (SLEEPS.test(call)) return KIND.sleep;
  // time.sleep() of Python 3.10 and older is a select() of nothing. Of what epoll watches nothing ended the wait.
  const isBare = awaitedFile(trace, row) === undefined || EPOLLS.test(call);
  if (POLLS.test(call) && context === TIMER && isBare) return KIND.sleep;
  if (LOCKS.test(call) && by === job.process && context === TASK) {
    const from = wakerProcess(trace, passedOnFrom(trace, row));
    if (job.compiles(from)) return KIND.compiling;
    return job.isDescendant(from) ? KIND.producer : KIND['thread-lock'];
  }
  return LOCKS.test(call) && context === TIMER ? KIND['thread-lock'] : KIND.none;
}

/** Of a wait for a thread, so much has to be a wait of that thread for programs. */
const FOR_PROGRAMS_SHARE = 0.5;

/** Whether the thread that ended the wait itself waited for programs that the job started, for most of it. */
function isThroughProgram(trace: Trace, row: number, { isProgram }: WaitersJob): boolean {
  const by = wakerOfOwnProcess(trace, row);
  if (by < 0) return false;
  const { columns } = trace.tables.off_cpu;
  const [sinceNs, untilNs] = [columns.startNs[row], readyNsOf(columns, row)];
  let forProgramsNs = 0;
  visitWaitsBack(trace, by, sinceNs, untilNs, (wait, ns) => {
    if (isProgram(wakerProcess(trace, wait))) forProgramsNs += ns;
  });
  return forProgramsNs >= (untilNs - sinceNs) * FOR_PROGRAMS_SHARE;
}

/** A write that a signal could end is one to a stream: to a file it goes on. */
function isStream(trace: Trace, row: number, file: string): boolean {
  if (file !== '') return STREAM.test(file);
  return stateWhileAsleep(trace, row) === stateCode.sleeping;
}

function isOnDisk(trace: Trace, row: number, file: string): boolean {
  if (file !== '' && STREAM.test(file)) return false;
  const state = stateWhileAsleep(trace, row);
  return state === stateCode.disk || state === stateCode.uninterruptible;
}

/** The process that ended the wait; -1 = no task of a known process. */
function wakerProcess({ tables, threads }: Trace, row: number): number {
  const { waker, wakerContext } = tables.off_cpu.columns;
  if (wakerContext !== undefined && wakerContext[row] !== TASK) return -1;
  return threads[waker?.[row] ?? -1]?.process ?? -1;
}
