import { type Failure, ok, type Result } from '../../shared/rpc/result.ts';
import type { FetchJob } from './fetch-job.ts';
import {
  type ChannelError,
  cancelled,
  type FileIdentity,
  type FrameChannel,
} from './frame-channel.ts';
import { mayTryAgain, newPatience, openPatiently, type Patience, pause } from './patient-open.ts';
import { pumpFrames } from './pump-frames.ts';
import { checkWire } from './wire-budget.ts';

/** sshd allows 10 sessions a connection unless told otherwise (MaxSessions): the others are for control. */
const MOST_CHANNELS = 8;
const NONE_FREE_TRIES = 30;
/** A server that gives not even one: somebody else has them all, and may give one back. */
const NONE_FREE_MS = 1000;

/**
 * Fetches all frames that are missing, over several channels, the first of which is open already.
 * Returns once they are here, or once no channel can bring any more.
 */
export async function fetchFrames(
  job: FetchJob,
  first: FrameChannel | undefined,
): Promise<Result<null, ChannelError>> {
  const wanted = Math.max(1, Math.min(MOST_CHANNELS, Math.ceil(job.list.missing / 2)));
  const started: Promise<void>[] = [];
  const ends: Promise<Result<null, ChannelError>>[] = [];
  // Nobody waits for a channel that stalls once others have brought what it was to bring.
  const over = new AbortController();
  void allHere(job).then(() => over.abort());
  const signal = AbortSignal.any([over.signal, job.signal]);
  for (let index = 0; index < wanted; index++) {
    // Each that stands brings two more: a server that is asked for eight at once may take fright.
    const before = index === 0 ? Promise.resolve() : started[(index - 1) >> 1];
    const { promise, resolve } = Promise.withResolvers<void>();
    started.push(promise);
    ends.push(oneChannel({ ...job, signal }, before, resolve, index === 0 ? first : undefined));
  }
  const results = await Promise.all(ends);
  if (job.list.missing === 0) return ok(null);
  return results.find((result) => !result.ok) ?? cancelled();
}

/** Once nothing is missing, or all is over. */
export async function allHere({ list, signal }: FetchJob): Promise<void> {
  while (list.missing > 0 && !signal.aborted) await list.changed();
}

/** Keeps one channel going until there is nothing left for it. */
async function oneChannel(
  job: FetchJob,
  before: Promise<void> | undefined,
  opened: () => void,
  given: FrameChannel | undefined,
): Promise<Result<null, ChannelError>> {
  const patience = newPatience(job.opening);
  let channel = given;
  let isNew = given === undefined;
  await before;
  try {
    while (job.list.missing > 0 && !job.signal.aborted) {
      const next = channel === undefined ? await openOne(job, patience, isNew) : ok(channel);
      channel = undefined;
      isNew = false;
      opened();
      if (!next.ok) return next;
      if (next.value === undefined) return ok(null);
      const missing = job.list.missing;
      const end = await runChannel(job, next.value);
      if (end.ok) return ok(null);
      if (job.list.missing < missing) Object.assign(patience, { faults: 0, losses: 0 });
      if (!(await mayTryAgain(end.error.code, patience, job.signal))) return giveUp(job, end.error);
    }
    return ok(null);
  } finally {
    opened();
  }
}

/** Undefined where the server gives no more and others are at work. */
async function openOne(
  job: FetchJob,
  patience: Patience,
  isNew: boolean,
): Promise<Result<FrameChannel | undefined, ChannelError>> {
  const { channels, signal } = job;
  for (let tries = 1; ; tries++) {
    if (channels.refused && (isNew || tries > 1) && channels.open > 0) return ok(undefined);
    channels.opening++;
    const opened = await openPatiently(job.host, job.trace, { ...job.opening, signal, patience });
    channels.opening--;
    if (opened.ok) return sameFile(job, opened.value);
    if (opened.error.code !== 'no-more-channels') return giveUp(job, opened.error);
    if (channels.open > 0) channels.refused = true;
    if (tries === NONE_FREE_TRIES) return giveUp(job, opened.error);
    if (channels.open === 0) await pause(NONE_FREE_MS, signal);
  }
}

function sameFile(job: FetchJob, channel: FrameChannel): Result<FrameChannel, ChannelError> {
  if (isSame(channel.identity, job.identity)) return ok(channel);
  channel.close();
  return giveUp(job, changed());
}

export function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.bytes === other.bytes &&
    one.inode === other.inode &&
    one.modifiedUnixNs === other.modifiedUnixNs
  );
}

export function changed(): Failure<'changed'> {
  return { code: 'changed', message: 'The trace on the host is another one now.' };
}

async function runChannel(
  job: FetchJob,
  channel: FrameChannel,
): Promise<Result<unknown, ChannelError>> {
  const close = () => channel.close();
  job.signal.addEventListener('abort', close);
  if (job.signal.aborted) close();
  job.channels.open++;
  job.meter.step = 'downloading';
  try {
    return await pumpFrames(job, channel);
  } finally {
    job.channels.open--;
    if (job.channels.open === 0) job.meter.step = 'waiting';
    checkWire(job);
    job.signal.removeEventListener('abort', close);
    close();
  }
}

/** What no channel can do anything about ends the others too. */
function giveUp(job: FetchJob, error: Failure<ChannelError>): Result<never, ChannelError> {
  // Not of a channel that nobody waits for any more.
  if (FOR_ALL.has(error.code) && !job.signal.aborted) job.stop(error);
  return { ok: false, error };
}

const FOR_ALL: ReadonlySet<ChannelError> = new Set([
  'bad-part',
  'changed',
  'host-broke-word',
  'link-lost',
  'not-connected',
  'trace-gone',
  'no-permission',
]);
