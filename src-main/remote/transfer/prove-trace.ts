import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { fetchFrames } from './fetch-frames.ts';
import { type FetchJob, frameAt, type JobError } from './fetch-job.ts';
import type { FrameChannel } from './frame-channel.ts';
import type { KeptRecord } from './keep-record.ts';
import { askTotalHash, hashAsItComes } from './total-hash.ts';

/**
 * Fetches what is missing, over `first` and more channels; returns the trace's hash once it is the
 * host's too. What an earlier attempt left is trusted until it is not: then every frame here is looked
 * at, and bad ones are fetched again, once.
 */
export async function proveTrace(
  job: FetchJob,
  first: FrameChannel,
  kept: KeptRecord,
): Promise<Result<string, JobError>> {
  const asked = askTotalHash(job);
  for (const channel of [first, undefined]) {
    const hashed = hashAsItComes(job);
    const fetched = await fetchFrames(job, channel);
    if (!fetched.ok) job.stop(fetched.error);
    else job.meter.step = 'verifying';
    const [theirs, ours] = await Promise.all([asked, hashed]);
    if (!fetched.ok) return fetched;
    if (!theirs.ok) return theirs;
    if (ours === theirs.value || job.signal.aborted) return ok(theirs.value);
    const bad = await findBad(job, kept.frames);
    if (bad.length === 0) break;
    missAgain(job, kept, bad);
  }
  return damaged(job, kept);
}

/** Frames here that are not what was proved when they came. */
async function findBad(
  job: FetchJob,
  frames: readonly (string | null)[],
): Promise<readonly number[]> {
  const bad: number[] = [];
  const buffer = Buffer.allocUnsafeSlow(job.frameBytes);
  for (const [frame, sha256] of frames.entries()) {
    if (job.signal.aborted) break;
    const { offset, length } = frameAt(job, frame);
    const bytes = await job.part.read(buffer.subarray(0, length), offset);
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256)
      bad.push(frame);
    await yieldToOthers();
  }
  return bad;
}

function missAgain(job: FetchJob, kept: KeptRecord, frames: readonly number[]): void {
  for (const frame of frames) {
    kept.set(frame, null);
    job.meter.doneBytes -= frameAt(job, frame).length;
  }
  job.list.miss(frames);
}

/** Nothing here is believed any more. */
function damaged(job: FetchJob, kept: KeptRecord): Result<never, 'trace-damaged'> {
  missAgain(job, kept, [...kept.frames.keys()]);
  return fail(
    'trace-damaged',
    'The trace that arrived is not the one on the host: their checksums differ. Bring it back again; it is fetched from the beginning.',
  );
}
