import type { Failure, Result } from '../../shared/rpc/result.ts';
import { allHere, changed, isSame } from './fetch-frames.ts';
import { type FetchJob, frameAt } from './fetch-job.ts';
import { type ChannelError, cancelled, type FrameChannel } from './frame-channel.ts';
import { mayTryAgain, newPatience, openPatiently, pause } from './patient-open.ts';

/** Not at once: the first frames come sooner. */
const AFTER_MS = 300;
const NONE_FREE_TRIES = 30;
/** Nothing tells when somebody else gives a channel back. */
const NONE_FREE_MS = 1000;

/** SHA-256 of the file as it is on the host, hex, by a channel of its own; waits its turn. */
export async function askTotalHash(job: FetchJob): Promise<Result<string, ChannelError>> {
  const patience = newPatience(job.opening);
  const { signal } = job;
  let missing = job.list.missing;
  await Promise.race([pause(AFTER_MS, signal), allHere(job)]);
  for (let tries = 0; !signal.aborted; ) {
    // A server that gives few sessions shall have one free for control.
    if (job.channels.refused) await allHere(job);
    if (job.list.missing < missing) patience.losses = 0;
    missing = job.list.missing;
    const opened = await openPatiently(job.host, job.trace, { ...job.opening, signal, patience });
    if (opened.ok) {
      if (!isSame(opened.value.identity, job.identity)) return stopWith(job, opened.value);
      const hash = await hashOver(job, opened.value);
      if (hash.ok || !(await mayTryAgain(hash.error.code, patience, signal))) return hash;
    } else if (opened.error.code === 'no-more-channels' && tries < NONE_FREE_TRIES) {
      job.channels.refused = true;
      await allHere(job);
      if (tries++ > 0) await pause(NONE_FREE_MS, signal);
    } else return opened;
  }
  return cancelled();
}

function stopWith(job: FetchJob, channel: FrameChannel): Result<never, ChannelError> {
  channel.close();
  const error: Failure<'changed'> = changed();
  job.stop(error);
  return { ok: false, error };
}

async function hashOver(
  job: FetchJob,
  channel: FrameChannel,
): Promise<Result<string, ChannelError>> {
  const close = () => channel.close();
  job.signal.addEventListener('abort', close);
  if (job.signal.aborted) close();
  try {
    return await channel.hash();
  } finally {
    job.signal.removeEventListener('abort', close);
    close();
  }
}

/**
 * SHA-256 of the file here, hex, read frame by frame as they become whole, so that it is known soon
 * after the last one. Undefined when it was stopped, or the file was cut meanwhile.
 */
export async function hashAsItComes(job: FetchJob): Promise<string | undefined> {
  const frames = Math.ceil(job.identity.bytes / job.frameBytes);
  const { fd } = job.part;
  for (let frame = 0; frame < frames || frame === 0; frame++) {
    while (frame < frames && !job.list.isProved(frame)) {
      if (job.signal.aborted) return undefined;
      await job.list.changed();
    }
    const added = await job.workers.hashWhole({ kind: 'add', fd, ...frameAt(job, frame) });
    if (added.kind !== 'done' || job.signal.aborted) return undefined;
  }
  const hashed = await job.workers.hashWhole({ kind: 'digest' });
  return hashed.kind === 'digest' ? hashed.sha256 : undefined;
}
