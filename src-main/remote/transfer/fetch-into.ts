import { join, posix } from 'node:path';
import type { FetchedTrace } from '../../shared/contract/remote-process-calls.ts';
import { type Failure, ok, type Result } from '../../shared/rpc/result.ts';
import { fileStem } from '../../shared/text/file-name.ts';
import type { TransferRecord } from '../state/run-record.ts';
import { CompressionLevel } from './compression-level.ts';
import { type FetchJob, frameAt, type JobError, type Opening } from './fetch-job.ts';
import { FrameBuffers } from './frame-buffers.ts';
import { cancelled, type FrameChannel, type RemoteTrace, type TraceHost } from './frame-channel.ts';
import { openFrameWorkers } from './frame-workers.ts';
import { type KeptRecord, keepRecord } from './keep-record.ts';
import { diskFailure, type PartFile } from './part-file.ts';
import { proveTrace } from './prove-trace.ts';
import { Slots } from './slots.ts';
import type { TransferMeter } from './transfer-meter.ts';
import { WorkList } from './work-list.ts';

/** Received and not yet proved: with what is being received, some 50 MB at most. */
const PROVING_AT_ONCE = 4;

/** It is known which file it is, and there is a place for it. */
interface Begun {
  readonly host: TraceHost;
  readonly remoteFile: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly meter: TransferMeter;
  readonly opening: Opening;
  readonly channel: FrameChannel;
  readonly trace: RemoteTrace;
  readonly record: TransferRecord;
  readonly part: PartFile;
}

/** Fetches into `part` what is missing, proves the whole, and gives it its name. Closes `part`. */
export async function fetchInto(begun: Begun): Promise<Result<FetchedTrace, JobError>> {
  const { folder, part, record, channel } = begun;
  const over = new AbortController();
  let why: Failure<JobError> | undefined;
  const stop = (error: Failure<JobError>) => {
    why ??= error;
    over.abort();
  };
  const kept = keepRecord(folder, record, part, stop);
  const job = makeJob(begun, kept, AbortSignal.any([over.signal, begun.signal]), stop);
  job.signal.addEventListener('abort', () => job.list.tell());
  let proved: Awaited<ReturnType<typeof proveTrace>>;
  try {
    proved = await proveTrace(job, channel, kept);
  } finally {
    over.abort();
    await kept.close();
    await job.workers.close();
  }
  const error = begun.signal.aborted
    ? wasCancelled()
    : (why ?? (proved.ok ? undefined : proved.error));
  if (error === undefined && proved.ok) return nameIt(begun, proved.value);
  await part.close();
  return { ok: false, error: error ?? wasCancelled() };
}

function wasCancelled(): Failure<'cancelled'> {
  const result = cancelled();
  return result.ok ? result.value : result.error;
}

function makeJob(
  { host, opening, meter, channel, trace, record, part }: Begun,
  kept: KeptRecord,
  signal: AbortSignal,
  stop: FetchJob['stop'],
): FetchJob {
  const { identity } = channel;
  const { frameBytes } = record;
  const list = new WorkList(record.frames.map((frame) => frame !== null));
  const channels = { opening: 0, open: 0, refused: false, leftFree: false };
  const job: FetchJob = {
    ...{ host, trace, opening, identity, frameBytes, part, list, meter, channels, signal, stop },
    level: new CompressionLevel(),
    workers: openFrameWorkers(),
    buffers: new FrameBuffers(frameBytes),
    proving: new Slots(PROVING_AT_ONCE),
    proved(frame, sha256) {
      kept.set(frame, sha256);
      meter.fetched(frameAt(job, frame).length);
    },
  };
  meter.totalBytes = identity.bytes;
  meter.doneBytes = 0;
  for (const [frame, sha256] of record.frames.entries())
    if (sha256 !== null) meter.doneBytes += frameAt(job, frame).length;
  return job;
}

async function nameIt(
  { folder, remoteFile, part, channel }: Begun,
  sha256: string,
): Promise<Result<FetchedTrace, JobError>> {
  const fileName = localName(remoteFile);
  const path = join(folder, fileName);
  try {
    // What is here and proved stays written down: until the library has it, the next try begins with it.
    await part.finish(path);
    return ok({ path, fileName, sizeBytes: channel.identity.bytes, sha256 });
  } catch (thrown) {
    return diskFailure(part.path, channel.identity.bytes, thrown);
  }
}

/** Of the host's name for it what every file system takes. */
export function localName(remoteFile: string): string {
  return `${fileStem(posix.basename(remoteFile))}.db`;
}
