import type { HostError } from '../../shared/remote/connection.ts';
import type { FetchedTrace } from '../../shared/remote/process-calls.ts';
import type { TransferProgress } from '../../shared/remote/run.ts';
import type { Result } from '../../shared/result.ts';
import type { HostSession } from '../shell/host-session.ts';

/** What bringing a trace back needs of a host. */
export type TraceHost = Pick<HostSession, 'openAgent'> & {
  readonly link: Pick<HostSession['link'], 'transport'>;
};

export interface FetchOptions {
  /** On the host, absolute: a trace that nobody writes to any more. */
  readonly remoteFile: string;
  /** On this machine, there already, this run's alone: `trace.part`, `transfer.json`, at last the trace. */
  readonly folder: string;
  /** Cancelling keeps what is here: the next call goes on from there. */
  readonly signal: AbortSignal;
  /** At most 4 times a second; steps `waiting`, `downloading`, `verifying`. */
  readonly onProgress: (progress: TransferProgress) => void;
  /** What the user should know of it though it goes on: a sentence. */
  readonly onNotice?: (sentence: string) => void;
}

export type FetchError =
  | 'disk-full'
  | 'trace-damaged'
  | 'trace-gone'
  | 'state-unwritable'
  | 'cancelled'
  | HostError;

/**
 * Brings `remoteFile` back into `folder`, whole and proved: frame by frame over several channels,
 * going on by itself when the link is lost, and from what is here already when it is called again.
 */
export async function fetchTrace(
  _host: TraceHost,
  options: FetchOptions,
): Promise<Result<FetchedTrace, FetchError>> {
  throw new Error(`not written yet: ${options.remoteFile}`);
}
