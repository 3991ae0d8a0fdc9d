import { ok, type Result } from '../../shared/rpc/result.ts';
import { type FetchJob, frameAt } from './fetch-job.ts';
import {
  type ChannelError,
  cancelled,
  type FrameChannel,
  type ReceivedFrame,
} from './frame-channel.ts';
import { diskFailure } from './part-file.ts';
import { pause } from './patient-open.ts';
import { checkWire } from './wire-budget.ts';
import type { Fetcher } from './work-list.ts';

/** Asked for ahead: one is on its way, one is compressed, one waits. */
const IN_FLIGHT = 3;
/** After so long a frame is somebody else's too who has nothing to do. */
const SLOW_S = 2;
/** A frame gets slow without a sign of it. */
const LOOK_AGAIN_MS = 500;

/**
 * Fetches frames over one channel until none is missing, or until the channel is one too many. What
 * it fetched and could not bring home is free for others when it returns.
 */
export async function pumpFrames(
  job: FetchJob,
  channel: FrameChannel,
): Promise<Result<'done' | 'surplus', ChannelError>> {
  const who: Fetcher = Symbol('channel');
  const proofs = new Set<Promise<void>>();
  try {
    while (!job.signal.aborted) {
      const isSurplus = mustLeave(job);
      if (!isSurplus) askAhead(job, channel, who);
      if (channel.inFlight > 0) {
        const received = await channel.next(job.buffers);
        if (!received.ok) return received;
        await prove(job, channel, received.value, proofs);
      } else if (job.list.missing === 0) return ok('done');
      else if (isSurplus) return ok('surplus');
      else {
        const idle = await whileIdle(job, channel);
        if (!idle.ok) return idle;
      }
    }
    return cancelled();
  } finally {
    await Promise.all(proofs);
    job.list.giveBack(who);
  }
}

/** The server gave no more sessions: one that there is goes, so that others can be had. */
function mustLeave({ channels }: FetchJob): boolean {
  const { refused, leftFree, opening, open } = channels;
  if (!refused || leftFree || opening > 0 || open < 2) return false;
  channels.leftFree = true;
  return true;
}

function askAhead(job: FetchJob, channel: FrameChannel, who: Fetcher): void {
  const { list } = job;
  // Towards the end frames are spread: nobody shall wait for one that holds three.
  const most = list.free < 2 * job.channels.open ? IN_FLIGHT - 1 : IN_FLIGHT;
  while (channel.inFlight < most) {
    const nowMs = performance.now();
    const slowMs = SLOW_S * job.opening.secondMs;
    const frame =
      list.take(who, nowMs) ??
      (channel.inFlight === 0 ? list.takeOver(who, nowMs, slowMs) : undefined);
    if (frame === undefined) return;
    const { offset, length } = frameAt(job, frame);
    channel.request(offset, length, job.level.level);
  }
}

/** Waits until there may be something to do. An agent that speaks unasked is not what it should be. */
async function whileIdle(
  job: FetchJob,
  channel: FrameChannel,
): Promise<Result<null, ChannelError>> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, job.signal]);
  const spoke = await Promise.race([
    channel.speaks().then(() => true),
    job.list.changed().then(() => false),
    pause(LOOK_AGAIN_MS, signal).then(() => false),
  ]);
  over.abort();
  if (!spoke) return ok(null);
  const said = await channel.next(job.buffers);
  return said.ok ? channel.breaksWord('it sent a part that nobody asked for') : said;
}

/** Takes a frame on, as soon as there is room for it. */
async function prove(
  job: FetchJob,
  channel: FrameChannel,
  received: ReceivedFrame,
  proofs: Set<Promise<void>>,
): Promise<void> {
  const { line, body, memory, ...times } = received;
  checkWire(job);
  job.level.note({ ...times, nowMs: performance.now(), wireBytes: body.length });
  await job.proving.take();
  const proof = takeHome(job, channel, received).finally(() => {
    job.proving.release();
    job.buffers.giveBack(memory);
    proofs.delete(proof);
  });
  proofs.add(proof);
}

async function takeHome(
  job: FetchJob,
  channel: FrameChannel,
  { line, body }: ReceivedFrame,
): Promise<void> {
  const frame = line.offset / job.frameBytes;
  if (job.list.isProved(frame)) return;
  const { offset, length, encoding, sha256 } = line;
  const { fd, path } = job.part;
  const task = { kind: 'prove', fd, offset, length, encoding, sha256, body } as const;
  const outcome = await job.workers.prove(task);
  if (outcome.kind === 'bad') channel.badPart();
  else if (outcome.kind === 'too-large')
    channel.breaksWord('it sent a part that unpacks to more than was asked for');
  else if (outcome.kind === 'unwritable') {
    const thrown = Object.assign(new Error(outcome.message), { code: outcome.code });
    const failed = await diskFailure(path, job.identity.bytes, thrown);
    if (!failed.ok) job.stop(failed.error);
  } else if (job.list.prove(frame)) job.proved(frame, sha256);
}
