import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** What the `-shm` beside a log says of it: https://www.sqlite.org/walformat.html §2.1 */
export interface WalIndex {
  /** Frames of the log up to its last commit. */
  readonly frames: number;
  /** Of those, written into the database already. */
  readonly checkedIn: number;
  /** As in the log's head. */
  readonly salts: Buffer;
}

const HEAD_BYTES = 48;
const VERSION = 3007000;

/** Reads the index at `path`; `undefined` where there is none, or none that its writer finished. */
export function readWalIndex(path: string): WalIndex | undefined {
  const bytes = readStart(path, 2 * HEAD_BYTES + 4);
  if (bytes === undefined) return undefined;
  const head = bytes.subarray(0, HEAD_BYTES);
  // Its writer keeps two copies, so that a reader sees whether it is being changed.
  if (!head.equals(bytes.subarray(HEAD_BYTES, 2 * HEAD_BYTES))) return undefined;
  const numbers = Array.from({ length: 25 }, (_, at) => numberAt(bytes, at * 4));
  if (numbers[0] !== VERSION || head[12] !== 1 || !isWhole(numbers)) return undefined;
  return {
    frames: numbers[4] ?? 0,
    checkedIn: numbers[24] ?? 0,
    salts: Buffer.from(head.subarray(32, 40)),
  };
}

/** The sums of the first 40 bytes, as in the log, in this machine's order of bytes. */
function isWhole(numbers: readonly number[]): boolean {
  let [one, two] = [0, 0];
  for (let at = 0; at < 10; at += 2) {
    one = (one + (numbers[at] ?? 0) + two) >>> 0;
    two = (two + (numbers[at + 1] ?? 0) + one) >>> 0;
  }
  return numbers[10] === one && numbers[11] === two;
}

/** It was written on this machine, or by one like it; else its sums are wrong. */
function numberAt(bytes: Buffer, at: number): number {
  return endianness() === 'LE' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}

/** Only of a plain file; a link may lead anywhere. */
function readStart(path: string, length: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    descriptor = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const bytes = Buffer.alloc(length);
    if (!fstatSync(descriptor).isFile()) return undefined;
    return readSync(descriptor, bytes, 0, length, 0) === length ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
