import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../../shared/result.ts';
import {
  type ChannelError,
  cancelled,
  type FrameChannel,
  openFrameChannel,
  type RemoteTrace,
  type TraceHost,
} from './frame-channel.ts';

/** Failures in a row that are nobody's connection: then it is given up. */
const MOST_FAULTS = 3;
const AFTER_LOSS_MS = 250;
const AFTER_FAULT_MS = 200;

/** Counts what goes wrong with an agent, one after the other. */
export interface Patience {
  faults: number;
}

/**
 * Opens a channel, however often the connection is lost meanwhile. The agent is tried again too, as
 * long as `patience` lasts; a server without a free session is not: that is the caller's to decide.
 */
export async function openPatiently(
  host: TraceHost,
  trace: RemoteTrace,
  options: {
    readonly signal: AbortSignal;
    readonly patience: Patience;
    onBytes(count: number): void;
  },
): Promise<Result<FrameChannel, ChannelError>> {
  const { signal, patience, onBytes } = options;
  while (!signal.aborted) {
    const opened = await openFrameChannel(host, trace, signal, onBytes);
    if (opened.ok || !(await mayTryAgain(opened.error.code, patience, signal))) return opened;
  }
  return cancelled();
}

/** Whether what went wrong can go away, once that was waited for. */
export async function mayTryAgain(
  code: ChannelError,
  patience: Patience,
  signal: AbortSignal,
): Promise<boolean> {
  if (code === 'link-lost') return pause(AFTER_LOSS_MS, signal);
  if (code !== 'agent-failed' && code !== 'timed-out') return false;
  patience.faults++;
  return patience.faults <= MOST_FAULTS && pause(AFTER_FAULT_MS * patience.faults, signal);
}

/** False where it was aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
