import { expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { asleep, byTimer, calls, wokenBy } from '../testing/loader-trace.ts';
import { blockedOn } from './blocked-on.ts';
import { sharedLock } from './shared-lock.ts';

const FLOCK = 73;
const FCNTL = 72;
const NANOSLEEP = 230;
const FSYNC = 74;
const names = [
  '/data/x (ext4)',
  'shared memory /dev/shm/sem.a',
  'shared memory /dev/shm/sem.b',
  '/data/rows.db-journal (ext4)',
] as const;

type Wait = ReturnType<typeof asleep>;

/** Two threads of one process, and one of another. */
function traceOf(waits: readonly Wait[]): Trace {
  return buildTrace({
    processes: [{ pid: 10 }, { pid: 20 }],
    threads: [
      { tid: 10, process: 0 },
      { tid: 11, process: 0 },
      { tid: 20, process: 1 },
    ],
    names: names.map((name) => ['', name]),
    rows: { off_cpu: waits },
    machine: { cpuModel: 'Intel Xeon' },
  });
}

const lockOf = (wait: Partial<Wait>) => sharedLock(traceOf([asleep(0, 0, 9e6, wait)]), 0);

test('locks of files are told with their files', () => {
  const file = names.indexOf('/data/x (ext4)');
  expect(lockOf({ syscall: FLOCK, file })?.text).toBe('the lock of /data/x (ext4)');
  expect(lockOf({ syscall: FCNTL, syscallArg1: 7, file })?.text).toBe(
    'a record lock of /data/x (ext4)',
  );
  expect(lockOf({ syscall: FCNTL, syscallArg1: 38, file })?.kind).toBe('record lock');
  // Without waiting: F_SETLK.
  expect(lockOf({ syscall: FCNTL, syscallArg1: 6, file })).toBeUndefined();
  expect(lockOf({ syscall: FLOCK })?.text).toBe('the lock of a file');
});

test('a futex is one that processes share where its memory is, or where another process woke it', () => {
  const shared = { syscall: calls.futex, syscallArg0: 4096, syscallArg1: 0x109 };
  const a = lockOf({ ...shared, file: names.indexOf('shared memory /dev/shm/sem.a') });
  const b = lockOf({ ...shared, file: names.indexOf('shared memory /dev/shm/sem.b') });
  expect(a?.text).toBe('a lock that processes share (/dev/shm/sem.a)');
  expect(a?.key).not.toBe(b?.key);
  expect(lockOf({ ...shared, ...wokenBy(2) })?.text).toBe('a lock that processes share');
  // pthread_join() waits like that for a thread of its own process.
  expect(lockOf({ ...shared, ...wokenBy(1) })).toBeUndefined();
  expect(lockOf({ ...shared, ...byTimer })).toBeUndefined();
  expect(lockOf({ ...shared, syscallArg1: 0x189, ...wokenBy(2) })).toBeUndefined();
});

/** Sleeps of so many ms, one after the other. */
function sleeps(thread: number, lengths: readonly number[], fromNs = 0): Wait[] {
  let atNs = fromNs;
  return lengths.map((ms) => {
    const startNs = atNs;
    atNs += ms * 1e6 + 50_000;
    return asleep(thread, startNs, startNs + ms * 1e6, { syscall: NANOSLEEP, ...byTimer });
  });
}

const isLock = (trace: Trace) =>
  Array.from({ length: trace.tables.off_cpu.rows }, (_, row) => sharedLock(trace, row)?.kind);

test('SQLite is told by the lengths of its sleeps, and by the files that it waits for', () => {
  const ladder = sleeps(0, [1.1, 2.2, 5.1, 10.1, 16, 20.1, 25, 25.4, 25.1, 50, 50, 101, 100.2]);
  expect(isLock(traceOf(ladder))).toEqual(ladder.map(() => 'sqlite'));
  const wait = asleep(0, 5e9, 5.1e9, {
    syscall: FSYNC,
    file: names.indexOf('/data/rows.db-journal (ext4)'),
  });
  expect(blockedOn(traceOf([...ladder, wait]), 3)).toEqual({
    detail: 'lock',
    text: 'SQLite’s lock of /data/rows.db',
  });
  expect(blockedOn(traceOf(ladder), 3).text).toBe('SQLite’s lock of a database');
});

test('other sleeps are none of SQLite’s', () => {
  for (const lengths of [
    [1, 2, 4, 8, 16, 32],
    [20, 20, 20, 20],
    [5, 10, 15, 20],
    [1, 1, 1, 1, 1, 1],
  ])
    expect(new Set(isLock(traceOf(sleeps(0, lengths))))).toEqual(new Set([undefined]));
  // By its length until the thread was woken it may seem shorter than it was.
  const early = sleeps(0, [1.06, 2.1, 5.1]).map((wait) => ({ ...wait, runQueueNs: 0.14e6 }));
  expect(isLock(traceOf(early))).toEqual(Array(3).fill('sqlite'));
  expect(isLock(traceOf(sleeps(0, [0.95, 2.1, 5.1])))).toEqual(Array(3).fill(undefined));
  // A short one counts where the thread was seen to have longer ones.
  const both = traceOf([...sleeps(0, [1, 2]), ...sleeps(0, [1, 2, 5], 1e9)]);
  expect(isLock(both)).toEqual(Array(5).fill('sqlite'));
});

test('a library that sleeps between two tries is told by its own frames', () => {
  const python = (symbol: string, file: string) => ({ symbol, file, language: 'python' }) as const;
  const own = python('note', '/home/u/train.py');
  const packages = '/opt/lib/python3.11/site-packages';
  const locks = python('acquire', `${packages}/filelock/_api.py`);
  const kindIn = (stack: number, syscall: number) =>
    sharedLock(
      buildTrace({
        processes: [{ pid: 10 }],
        threads: [{ tid: 10, process: 0 }],
        stacks: [[own], [locks, own], [own, locks, own]],
        rows: { off_cpu: [asleep(0, 0, 50e6, { syscall, stack, ...byTimer })] },
        machine: { cpuModel: 'Intel Xeon' },
      }),
      0,
    )?.text;
  const text = 'a lock that filelock tries to take again and again';
  // What is done under the lock is no wait for it.
  expect([0, 1, 2].map((stack) => kindIn(stack, NANOSLEEP))).toEqual([undefined, text, undefined]);
  // time.sleep() of Python 3.10 and older.
  expect(kindIn(1, 23)).toBe(text);
  expect(kindIn(1, calls.futex)).toBeUndefined();
});
