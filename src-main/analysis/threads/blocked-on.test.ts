import { expect, test } from 'vitest';
import type { Provenance } from '../../shared/model/trace.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { calls } from '../testing/loader-trace.ts';
import { blockedOn } from './blocked-on.ts';

const SLEEPING = 1;
const DISK = 2;

/** A wait in read() on a file of that name; `kind` is what the trace says of names of files. */
function waitOn(name: string, kind?: Provenance['kind'], state = SLEEPING): string {
  return wait(name, kind, { state, syscall: calls.read, ioWait: 1 });
}

/** A wait for a page of memory, outside of any system call. */
const waitForPage = (name: string, ioWait: number) =>
  wait(name, 'partial', { state: DISK, syscall: -1, ioWait });

interface Wait {
  readonly state: number;
  readonly syscall: number;
  readonly ioWait: number;
}

function wait(name: string, kind: Provenance['kind'] | undefined, how: Wait): string {
  const trace = buildTrace({
    processes: [{ pid: 10 }],
    threads: [{ tid: 10, process: 0 }],
    names: [['', name]],
    rows: {
      off_cpu: [{ startNs: 0, durationNs: 9, thread: 0, ...(name !== '' && { file: 0 }), ...how }],
    },
    machine: { cpuModel: 'Intel Xeon' },
  });
  const said = kind === undefined ? {} : { file: { kind, note: '' } };
  const off_cpu = { ...trace.tables.off_cpu, columnProvenance: said };
  const { detail, text } = blockedOn({ ...trace, tables: { ...trace.tables, off_cpu } }, 0);
  return `${detail}: ${text}`;
}

test('a local file is believed to be slept for only where its name is proved', () => {
  const unknown = 'unknown: a pipe or a socket, in read';
  expect(waitOn('/data/x (ext4)')).toBe(unknown);
  expect(waitOn('/data/x (ext4)', 'inferred')).toBe(unknown);
  expect(waitOn('/data/x (ext4)', 'partial')).toBe('file: /data/x (ext4), in read');
  expect(waitOn('/data/x (nfs4)')).toBe('file: /data/x (nfs4), in read');
});

test('a name that was looked up afterwards is told of no wait for a local file', () => {
  expect(waitOn('/data/x (ext4)', 'inferred', DISK)).toBe('disk: the disk, in read');
  expect(waitOn('/data/x (nfs4)', 'inferred', DISK)).toBe('disk: the disk: /data/x (nfs4)');
});

test('the kind of a file without a name is told where it says something', () => {
  expect(waitOn('regular file', 'partial')).toBe('file: a file, in read');
  expect(waitOn('regular file', 'partial', DISK)).toBe('disk: the disk, in read');
  expect(waitOn('/data/x (ext4)', 'partial', DISK)).toBe('disk: the disk: /data/x (ext4)');
  expect(waitOn('character device', 'partial')).toBe('device: a device');
  expect(waitOn('named pipe', 'partial')).toBe('pipe: a named pipe');
  expect(waitOn('/run/x (named pipe)', 'partial')).toBe('pipe: /run/x (named pipe)');
  expect(waitOn('/run/named pipe (ext4)', 'partial')).toMatch(/^file/);
  expect(waitOn('pipe')).toBe('pipe: a pipe');
  expect(waitOn('pipe:[4711]')).toBe('pipe: a pipe (pipe:[4711])');
});

test('a page of a file that is mapped is told by its name', () => {
  expect(waitForPage('/data/x (ext4)', 1)).toBe('disk: the disk: /data/x (ext4), which is mapped');
  expect(waitForPage('mapped file', 1)).toBe('disk: the disk, for a page of a mapped file');
  expect(waitForPage('', 1)).toBe('disk: the disk, for a page of memory');
});

test('a wait in a page fault that is not for a disk may be for the lock of the memory map', () => {
  const orLock = ', or the lock of the memory map';
  expect(waitForPage('/data/x (ext4)', 0)).toBe(
    `page: a page of /data/x (ext4), which is mapped${orLock}`,
  );
  expect(waitForPage('mapped file', 0)).toBe(`page: a page of a mapped file${orLock}`);
  expect(waitForPage('', 0)).toBe(`page: a page of memory${orLock}`);
});
