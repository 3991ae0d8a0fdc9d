import type { Failure } from '../../shared/rpc/result.ts';
import type { CompressionLevel } from './compression-level.ts';
import type { FrameBuffers } from './frame-buffers.ts';
import type { ChannelError, FileIdentity, RemoteTrace, TraceHost } from './frame-channel.ts';
import type { FrameWorkers } from './frame-workers.ts';
import type { ChannelOptions } from './open-frame-channel.ts';
import type { DiskError, PartFile } from './part-file.ts';
import type { Slots } from './slots.ts';
import type { TransferMeter } from './transfer-meter.ts';
import type { WorkList } from './work-list.ts';

export type JobError = 'trace-damaged' | DiskError | ChannelError;

/** How the channels of a trace are opened. */
export type Opening = Pick<ChannelOptions, 'onBytes' | 'secondMs'>;

/** One trace while it is being fetched: what its channels share. */
export interface FetchJob {
  readonly host: TraceHost;
  readonly trace: RemoteTrace;
  readonly opening: Opening;
  readonly identity: FileIdentity;
  readonly frameBytes: number;
  readonly part: PartFile;
  readonly list: WorkList;
  readonly level: CompressionLevel;
  readonly meter: TransferMeter;
  readonly workers: FrameWorkers;
  readonly buffers: FrameBuffers;
  /** Frames that are unpacked, proved and written now. */
  readonly proving: Slots;
  readonly channels: ChannelCount;
  /** Aborted once it is over, whatever the reason. */
  readonly signal: AbortSignal;
  /** It can't go on. */
  stop(error: Failure<JobError>): void;
  /** A frame is written and proved. */
  proved(frame: number, sha256: string): void;
}

/** How many channels there are, and whether the server gives no more. */
interface ChannelCount {
  opening: number;
  open: number;
  /** It refused one. */
  refused: boolean;
  /** One was closed since, for whatever else is to be done on the host. */
  leftFree: boolean;
}

export function frameAt(job: FetchJob, frame: number): { offset: number; length: number } {
  const offset = frame * job.frameBytes;
  return { offset, length: Math.min(job.frameBytes, job.identity.bytes - offset) };
}
