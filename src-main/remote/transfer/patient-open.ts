import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../../shared/rpc/result.ts';
import {
  type ChannelError,
  cancelled,
  type FrameChannel,
  type RemoteTrace,
  type TraceHost,
} from './frame-channel.ts';
import { type ChannelOptions, openFrameChannel } from './open-frame-channel.ts';

/** Failures in a row that are nobody's connection: then it is given up. */
const MOST_FAULTS = 3;
/** Lost connections in a row over which nothing came: longer apart each, up to half a minute. */
const MOST_LOSSES = 20;
const AFTER_LOSS_S = 0.25;
const AFTER_FAULT_S = 0.2;

/** Counts what goes wrong with an agent, one after the other, and lost connections that brought nothing. */
export interface Patience {
  faults: number;
  losses: number;
  readonly secondMs: number;
}

export function newPatience({ secondMs }: Pick<ChannelOptions, 'secondMs'>): Patience {
  return { faults: 0, losses: 0, secondMs };
}

/**
 * Opens a channel, however often the connection is lost meanwhile. The agent is tried again too, as
 * long as `patience` lasts; a server without a free session is not: that is the caller's to decide.
 */
export async function openPatiently(
  host: TraceHost,
  trace: RemoteTrace,
  options: ChannelOptions & { readonly patience: Patience },
): Promise<Result<FrameChannel, ChannelError>> {
  const { signal, patience } = options;
  while (!signal.aborted) {
    const opened = await openFrameChannel(host, trace, options);
    if (opened.ok || !(await mayTryAgain(opened.error.code, patience, signal))) return opened;
  }
  return cancelled();
}

const MAY_GO_AWAY: ReadonlySet<ChannelError> = new Set(['agent-failed', 'bad-part', 'timed-out']);

/** Whether what went wrong can go away, once that was waited for. */
export async function mayTryAgain(
  code: ChannelError,
  patience: Patience,
  signal: AbortSignal,
): Promise<boolean> {
  const { secondMs } = patience;
  if (code === 'link-lost') {
    patience.losses++;
    return patience.losses < MOST_LOSSES && pause(AFTER_LOSS_S * secondMs, signal);
  }
  if (!MAY_GO_AWAY.has(code)) return false;
  patience.faults++;
  return (
    patience.faults <= MOST_FAULTS && pause(AFTER_FAULT_S * secondMs * patience.faults, signal)
  );
}

/** False where it was aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
