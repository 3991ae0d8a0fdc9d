import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { hostIndexOf, hostOfThread } from '../../shared/model/hosts.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { cleanText } from '../../shared/text/text.ts';
import { awaitedFile } from './awaited-file.ts';
import { lockLibrary } from './lock-libraries.ts';
import { isSqliteSleep, sqliteDatabase } from './sqlite-sleeps.ts';

/** A lock that a thread waited for which other processes take too. */
export interface SharedLock {
  /**
   * `memory`: of a semaphore it is not known whether it is a lock. `polled`: a library sleeps, and tries to take it again.
   */
  readonly kind: 'flock' | 'record lock' | 'sqlite' | 'memory' | 'polled';
  /** The same for all waits for one lock. */
  readonly key: string;
  /** `the lock of /data/x (ext4)`: what follows “waited for”. The traced machine’s own text, uncut. */
  readonly text: string;
  /** `/data/x (ext4)`; absent where it is no file, or not known. */
  readonly file?: string;
}

/** Commands of fcntl() that wait: include/uapi/asm-generic/fcntl.h. */
const F_SETLKW = 7;
const F_OFD_SETLKW = 38;

/** What the agent calls the memory of a futex that several processes have mapped. */
const MEMORY = /^shared memory /;
const FUTEX_PRIVATE_FLAG = 0x80;
const FUTEX_FLAGS = FUTEX_PRIVATE_FLAG | 0x100;
const TIMER = codeOf(wakeContexts, 'timer');

/** FUTEX_WAIT, WAIT_BITSET, LOCK_PI, LOCK_PI2. */
const FUTEX_WAITS: readonly number[] = [0, 9, 6, 13];

/** The lock between processes that row `row` of off_cpu waited for; `undefined` where it was none, or none that is known. */
export function sharedLock(trace: Trace, row: number): SharedLock | undefined {
  const { syscall, syscallArg1, thread } = trace.tables.off_cpu.columns;
  const number = syscall?.[row] ?? -1;
  if (number < 0) return undefined;
  switch (syscallName(number, hostOfThread(trace, thread[row]))) {
    case 'flock':
      return fileLock(trace, row, 'flock');
    case 'fcntl':
      return [F_SETLKW, F_OFD_SETLKW].includes(syscallArg1?.[row] ?? -1)
        ? fileLock(trace, row, 'record lock')
        : undefined;
    case 'futex':
      return memoryLock(trace, row);
    case 'nanosleep':
    case 'clock_nanosleep':
      return isSqliteSleep(trace, row) ? sqliteLock(trace, row) : polledLock(trace, row);
    case 'select':
    case 'pselect6':
      // time.sleep() of Python 3.10 and older.
      return wokenBy(trace, row) === TIMER ? polledLock(trace, row) : undefined;
    default:
      return undefined;
  }
}

function fileLock(trace: Trace, row: number, kind: 'flock' | 'record lock'): SharedLock {
  const file = awaitedFile(trace, row);
  const name = file === undefined || file.isKind ? undefined : file.name;
  const text = `${kind === 'flock' ? 'the lock' : 'a record lock'} of ${name ?? 'a file'}`;
  return { kind, key: onHost(trace, row, text), text, ...(name !== undefined && { file: name }) };
}

function memoryLock(trace: Trace, row: number): SharedLock | undefined {
  const { file, syscallArg0, syscallArg1 } = trace.tables.off_cpu.columns;
  const operation = syscallArg1?.[row] ?? -1;
  if (operation < 0 || (operation & FUTEX_PRIVATE_FLAG) !== 0) return undefined;
  if (!FUTEX_WAITS.includes(operation & ~FUTEX_FLAGS)) return undefined;
  const name = trace.names[file?.[row] ?? -1] ?? '';
  const text = 'a lock that processes share';
  if (MEMORY.test(name)) {
    const memory = cleanText(name.replace(MEMORY, ''));
    return { kind: 'memory', key: onHost(trace, row, memory), text: `${text} (${memory})` };
  }
  // The end of a thread is waited for in the same way, in the process’s own memory.
  if (!isOfOthers(trace, row)) return undefined;
  return { kind: 'memory', key: onHost(trace, row, `at ${syscallArg0?.[row]}`), text };
}

const wokenBy = ({ tables }: Trace, row: number) => tables.off_cpu.columns.wakerContext?.[row];

/** Whether a thread of another process ended the wait. */
function isOfOthers(trace: Trace, row: number): boolean {
  const { thread, waker } = trace.tables.off_cpu.columns;
  if (wokenBy(trace, row) !== codeOf(wakeContexts, 'task')) return false;
  const by = trace.threads[waker?.[row] ?? -1]?.process ?? -1;
  return by >= 0 && by !== trace.threads[thread[row]]?.process;
}

function sqliteLock(trace: Trace, row: number): SharedLock {
  const database = sqliteDatabase(trace, row);
  const text = `SQLite’s lock of ${database ?? 'a database'}`;
  const file = database === undefined ? {} : { file: database };
  return { kind: 'sqlite', key: onHost(trace, row, text), text, ...file };
}

function polledLock(trace: Trace, row: number): SharedLock | undefined {
  const library = lockLibrary(trace, row);
  if (library === undefined) return undefined;
  const text = `a lock that ${library} tries to take again and again`;
  return { kind: 'polled', key: onHost(trace, row, text), text };
}

function onHost(trace: Trace, row: number, key: string): string {
  return `${hostIndexOf(trace, trace.tables.off_cpu.columns.thread[row])} ${key}`;
}
