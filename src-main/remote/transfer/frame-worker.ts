import { createHash, type Hash, hash as hashOf } from 'node:crypto';
import { readSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { constants, zstdDecompressSync } from 'node:zlib';
import type { FrameOutcome, FrameTask } from './frame-task.ts';

/**
 * A thread that does with frames what takes time, each step right after the other: its memory is its
 * own too, so that the megabytes of a frame don't have the heap of the whole process looked through.
 */

/** 8 MiB: what zstd needs for a frame of 4 MiB at its highest level, and what a bomb gets. */
const LARGEST_WINDOW_LOG = 23;

let whole: Hash = createHash('sha256');
let held: Buffer | undefined;

function answer(task: FrameTask): FrameOutcome {
  if (task.kind === 'digest') return { kind: 'digest', sha256: whole.digest('hex') };
  return task.kind === 'add' ? add(task) : prove(task);
}

function prove(task: Extract<FrameTask, { kind: 'prove' }>): FrameOutcome {
  const { fd, offset, sha256 } = task;
  const raw = unpacked(task);
  if (raw === 'too-large') return { kind: raw };
  if (raw === undefined || hashOf('sha256', raw, 'hex') !== sha256) return { kind: 'bad' };
  try {
    for (let done = 0; done < raw.length; )
      done += writeSync(fd, raw, done, raw.length - done, offset + done);
    return { kind: 'done' };
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    return { kind: 'unwritable', code, message };
  }
}

/** The frame's own bytes, never more than `length` of them. */
function unpacked({
  encoding,
  length,
  body,
}: Extract<FrameTask, { kind: 'prove' }>): Buffer | 'too-large' | undefined {
  const packed = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (encoding === 'stored') return packed.length === length ? packed : undefined;
  try {
    const raw = zstdDecompressSync(packed, {
      // One piece, and a little more: a full one would have the next one allocated.
      chunkSize: length + 64,
      maxOutputLength: length,
      params: { [constants.ZSTD_d_windowLogMax]: LARGEST_WINDOW_LOG },
    });
    return raw.length === length ? raw : undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : undefined;
  }
}

function add({ fd, offset, length }: Extract<FrameTask, { kind: 'add' }>): FrameOutcome {
  if (offset === 0) whole = createHash('sha256');
  if (held === undefined || held.length < length) held = Buffer.allocUnsafeSlow(length);
  try {
    for (let done = 0; done < length; ) {
      const read = readSync(fd, held, done, length - done, offset + done);
      if (read === 0) return { kind: 'bad' };
      done += read;
    }
  } catch {
    return { kind: 'bad' };
  }
  whole.update(held.subarray(0, length));
  return { kind: 'done' };
}

parentPort?.on('message', (task: FrameTask) => parentPort?.postMessage(answer(task)));
