import type { PartDetail } from '../../shared/answers/explanation.ts';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { hostOfThread } from '../../shared/model/hosts.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import { isKillable } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type AwaitedFile, awaitedFile, filesAreProved } from './awaited-file.ts';
import { sharedLock } from './shared-lock.ts';
import { stateCode, stateWhileAsleep } from './visit-states.ts';

/** What a thread that gave up the CPU waited for. */
export interface BlockedOn {
  readonly detail: PartDetail;
  /** `a lock`, `the pipe pipe:[4711]`, `/data/img.bin`, `a child process`: what follows “waited for”. */
  readonly text: string;
}

type Reader = (trace: Trace, row: number) => BlockedOn | undefined;

/** What row `row` of off_cpu waited for until it was ready to run, as far as the row shows it. */
export function blockedOn(trace: Trace, row: number): BlockedOn {
  for (const reader of readers) {
    const found = reader(trace, row);
    if (found !== undefined) return found;
  }
  return { detail: 'unknown', text: 'something this trace does not show' };
}

const readers: readonly Reader[] = [stopped, disk, page, byLock, bySyscall, byTimer];

function stopped(trace: Trace, row: number): BlockedOn | undefined {
  const state = stateWhileAsleep(trace, row);
  if (state === stateCode.dead) return { detail: 'stopped', text: 'nothing: it was exiting' };
  if (state !== stateCode.stopped) return undefined;
  return { detail: 'stopped', text: 'somebody to let it go on: it was stopped' };
}

/** System calls that wait for the disk on behalf of the file they are given. */
const FILE_IO =
  /^p?(read|write)v?(64|2)?$|sync|^(ftruncate|fallocate|sendfile|copy_file_range|getdents)/;

function disk(trace: Trace, row: number): BlockedOn | undefined {
  if (stateWhileAsleep(trace, row) !== stateCode.disk) return undefined;
  const call = callOf(trace, row);
  const file = awaitedFile(trace, row);
  const isNamed = file !== undefined && !file.isKind && !isDoubtful(trace, file);
  if (call !== undefined && FILE_IO.test(call) && isNamed)
    return { detail: 'disk', text: `the disk: ${file.name}` };
  if (isOutsideSyscall(trace, row)) return { detail: 'disk', text: pageOnDisk(file) };
  return { detail: 'disk', text: call === undefined ? 'the disk' : `the disk, in ${call}` };
}

/** Of what was swapped out no file is known; older recordings tell none either. */
function pageOnDisk(file: AwaitedFile | undefined): string {
  return file === undefined || file.isKind
    ? `the disk, for ${pageOf(file)}`
    : `the disk: ${file.name}, which is mapped`;
}

function pageOf(file: AwaitedFile | undefined): string {
  if (file === undefined) return 'a page of memory';
  return file.isKind ? `a page of ${file.text}` : `a page of ${file.text}, which is mapped`;
}

/** Uninterruptible outside a system call is a page fault. */
function page(trace: Trace, row: number): BlockedOn | undefined {
  if (stateWhileAsleep(trace, row) !== stateCode.uninterruptible) return undefined;
  if (isOutsideSyscall(trace, row))
    return {
      detail: 'page',
      text: `${pageOf(awaitedFile(trace, row))}, or the lock of the memory map`,
    };
  const call = callOf(trace, row);
  if (call === undefined || !MAPS.test(call)) return undefined;
  return { detail: 'page', text: `the lock of the memory map, in ${call}` };
}

function isOutsideSyscall(trace: Trace, row: number): boolean {
  const { syscall } = trace.tables.off_cpu.columns;
  return syscall !== undefined && syscall[row] < 0;
}

function byLock(trace: Trace, row: number): BlockedOn | undefined {
  const lock = sharedLock(trace, row);
  return lock === undefined ? undefined : { detail: 'lock', text: lock.text };
}

const POLLS = /^(poll|ppoll|select|pselect6|epoll_(p)?wait2?|io_uring_enter)$/;
const SLEEPS = /^(clock_)?nanosleep$/;
const LOCKS = /^(futex|futex_waitv|futex_wait|semop|semtimedop)$/;
const CHILDREN = /^(wait4|waitid)$/;
const MAPS = /^(mmap|munmap|mremap|mprotect|madvise|brk)$/;
const SOCKETS = /^(accept4?|connect|send(to|msg|mmsg)|recv(from|msg|mmsg))$/;
const OPENS = /^(open(at2?)?|creat|execve(at)?)$/;
const VFORKS = /^(vfork|clone3?)$/;
const READS = /^(read|write)v?$/;
const SIGNALS = /^(pause|rt_sig(suspend|timedwait))$/;

function bySyscall(trace: Trace, row: number): BlockedOn | undefined {
  const name = callOf(trace, row);
  if (name === undefined) return byFile(trace, row, undefined);
  if (LOCKS.test(name)) return lock(trace, row, name);
  if (SLEEPS.test(name)) return { detail: 'timer', text: 'a timer: it slept on purpose' };
  if (CHILDREN.test(name)) return { detail: 'child', text: 'a child process' };
  if (VFORKS.test(name)) return { detail: 'child', text: 'a new process to start' };
  if (SIGNALS.test(name)) return { detail: 'unknown', text: 'a signal' };
  const file = byFile(trace, row, name);
  if (POLLS.test(name)) return file ?? poll(name);
  if (file !== undefined) return file;
  if (SOCKETS.test(name)) return { detail: 'socket', text: `a socket, in ${name}` };
  if (READS.test(name) && stateWhileAsleep(trace, row) === stateCode.sleeping)
    return { detail: 'unknown', text: `a pipe or a socket, in ${name}` };
  if (OPENS.test(name) && isAnswered(trace, row))
    return { detail: 'process', text: 'another process, which is asked before a file is opened' };
  return { detail: 'unknown', text: `the kernel, in ${name}` };
}

/** Whether a process outside of the thread's own, and of the kernel, ended a wait that only it could end: it was asked something. */
function isAnswered({ tables, threads, processes }: Trace, row: number): boolean {
  const { state, waker, wakerContext, thread } = tables.off_cpu.columns;
  if (!isKillable(state?.[row] ?? -1)) return false;
  if (wakerContext?.[row] !== codeOf(wakeContexts, 'task')) return false;
  const by = threads[waker?.[row] ?? -1]?.process ?? -1;
  const isKernel = processes[by]?.role === 'kernel';
  return by >= 0 && !isKernel && by !== threads[thread[row]]?.process;
}

/** FUTEX_CMD_MASK leaves the operation without its flags: include/uapi/linux/futex.h. */
const FUTEX_FLAGS = 0x80 | 0x100;

function lock(trace: Trace, row: number, name: string): BlockedOn {
  const { syscallArg1, wakerContext } = trace.tables.off_cpu.columns;
  const operation = (syscallArg1?.[row] ?? -1) & ~FUTEX_FLAGS;
  // FUTEX_LOCK_PI, LOCK_PI2, WAIT_REQUEUE_PI: mutexes with priority inheritance.
  const isMutex = name === 'futex' && [6, 11, 13].includes(operation);
  const timedOut =
    wakerContext?.[row] === codeOf(wakeContexts, 'timer') ? ', until its time was up' : '';
  return { detail: 'lock', text: `${isMutex ? 'a mutex' : 'a lock or a condition'}${timedOut}` };
}

function poll(name: string): BlockedOn {
  return { detail: 'poll', text: `one of its files or sockets, in ${name}` };
}

/** File systems whose reads never sleep so that a signal could end them: as a pipe's or socket's do. */
const LOCAL_FILE = /\((tmpfs|ext[234]|xfs|btrfs|f2fs|overlay|ramfs|zfs)\)$/;

/** Looked up afterwards, as the trace says: a name may be that of the next file by its number. */
function isDoubtful({ tables }: Trace, { name }: AwaitedFile): boolean {
  return tables.off_cpu.columnProvenance.file?.kind === 'inferred' && LOCAL_FILE.test(name);
}

function byFile(trace: Trace, row: number, call: string | undefined): BlockedOn | undefined {
  const file = awaitedFile(trace, row);
  if (file === undefined) return undefined;
  const blocked = byKind(file);
  if (blocked !== undefined) return blocked;
  // A name that nobody proved may be that of the next file by this number.
  const isUnproved = stateWhileAsleep(trace, row) === stateCode.sleeping && !filesAreProved(trace);
  if (isDoubtful(trace, file) || (isUnproved && LOCAL_FILE.test(file.name))) return undefined;
  const { text } = file;
  return { detail: 'file', text: call === undefined ? text : `${text}, in ${call}` };
}

/** Of all but files on a disk the kind says what was waited for. */
function byKind({ name, text }: AwaitedFile): BlockedOn | undefined {
  if (/^pipe\b/.test(name)) return { detail: 'pipe', text: named('a pipe', name) };
  if (/(^|\()named pipe\)?$/.test(name)) return { detail: 'pipe', text };
  if (/^socket\b/.test(name)) return { detail: 'socket', text: named('a socket', name) };
  const event = /^(?:anon_inode:\[?)?(event(?:fd|poll)|timerfd|signalfd|inotify|io_uring)/.exec(
    name,
  );
  if (event !== null)
    return { detail: event[1] === 'timerfd' ? 'timer' : 'poll', text: `an event (${event[1]})` };
  if (name.startsWith('/dev/') && !name.startsWith('/dev/shm/'))
    return { detail: 'device', text: `the device ${name}` };
  return /^(character|block) device$/.test(name) ? { detail: 'device', text } : undefined;
}

/** `pipe:[4711]` names its pipe, `pipe` does not; `socket to 10.0.0.2:6379` says its other end. */
function named(kind: string, file: string): string {
  if (/^socket (to|from) /.test(file)) return `a ${file}`;
  return file.includes('[') ? `${kind} (${file})` : kind;
}

/** Only that a timer woke it is known. */
function byTimer(trace: Trace, row: number): BlockedOn | undefined {
  const context = trace.tables.off_cpu.columns.wakerContext?.[row] ?? 0;
  if (context !== codeOf(wakeContexts, 'timer')) return undefined;
  return { detail: 'timer', text: 'a timer' };
}

/** The system call that row `row` of off_cpu was in; `undefined` where it was in none, or none that is known. */
export function callOf(trace: Trace, row: number): string | undefined {
  const { syscall, thread } = trace.tables.off_cpu.columns;
  const number = syscall?.[row] ?? -1;
  return number < 0 ? undefined : syscallName(number, hostOfThread(trace, thread[row]));
}
