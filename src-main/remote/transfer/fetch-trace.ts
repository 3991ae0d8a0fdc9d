import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchedTrace } from '../../shared/remote/process-calls.ts';
import type { TransferProgress } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/result.ts';
import type { TransferRecord } from '../state/run-record.ts';
import { isSame } from './fetch-frames.ts';
import { fetchInto, localName } from './fetch-into.ts';
import type { JobError } from './fetch-job.ts';
import {
  type ChannelError,
  cancelled,
  type FrameChannel,
  type RemoteTrace,
  type TraceHost,
} from './frame-channel.ts';
import { hasPart, openPart } from './part-file.ts';
import { openPatiently } from './patient-open.ts';
import { TransferMeter } from './transfer-meter.ts';
import { isWhole, newTransfer, readTransfer } from './transfer-state.ts';

/** A trace that changes is fetched anew. */
export type FetchError = Exclude<JobError, 'changed'>;

export interface FetchOptions {
  /** On the host, absolute: a trace that nobody writes to any more. */
  readonly remoteFile: string;
  /** On this machine, there already, this run's alone: `transfer.json` and `trace.part`, at last the trace. */
  readonly folder: string;
  /** Cancelling keeps what is here: the next call goes on from there. */
  readonly signal: AbortSignal;
  /** At most 4 times a second; steps `waiting`, `downloading`, `verifying`. */
  readonly onProgress: (progress: TransferProgress) => void;
  /** What the user should know of it though it goes on: a sentence. */
  readonly onNotice?: (sentence: string) => void;
}

const PROGRESS_MS = 250;
/** A trace that changes more often than that is still being written. */
const MOST_BEGINNINGS = 3;

/**
 * Brings `remoteFile` back into `folder`, whole and proved: frame by frame over several channels,
 * going on by itself when the link is lost, and from what is here already when it is called again.
 */
export async function fetchTrace(
  host: TraceHost,
  options: FetchOptions,
): Promise<Result<FetchedTrace, FetchError>> {
  const meter = new TransferMeter();
  const tell = () => options.onProgress(meter.progress(performance.now()));
  const timer = setInterval(tell, PROGRESS_MS);
  try {
    tell();
    for (let beginning = 1; ; beginning++) {
      const fetched = await fetchOnce(host, options, meter);
      if (fetched.ok) return fetched;
      const { code, message, detail } = fetched.error;
      if (code !== 'changed') return fail(code, message, detail);
      if (beginning === MOST_BEGINNINGS) return keepsChanging();
    }
  } finally {
    clearInterval(timer);
    tell();
  }
}

function keepsChanging(): Result<never, 'trace-damaged'> {
  return fail(
    'trace-damaged',
    'The trace on the host keeps changing: wait until its capture has ended, then bring it back again.',
  );
}

async function fetchOnce(
  host: TraceHost,
  options: FetchOptions,
  meter: TransferMeter,
): Promise<Result<FetchedTrace, JobError>> {
  meter.step = 'waiting';
  const first = await openFirst(host, options, meter);
  if (!first.ok) return first;
  const { channel, trace } = first.value;
  const close = () => channel.close();
  options.signal.addEventListener('abort', close);
  try {
    const { identity } = channel;
    const kept = await readKept(channel, options);
    const part = await openPart(partIn(options.folder), identity.bytes, kept !== undefined);
    if (!part.ok) return part;
    const record = kept ?? newTransfer(identity);
    return await fetchInto({ ...options, host, meter, channel, trace, record, part: part.value });
  } finally {
    options.signal.removeEventListener('abort', close);
    close();
  }
}

const partIn = (folder: string) => join(folder, 'trace.part');

/** The first channel says which file it is; by root where the user may not read it. */
async function openFirst(
  host: TraceHost,
  { remoteFile, signal }: FetchOptions,
  meter: TransferMeter,
): Promise<Result<{ channel: FrameChannel; trace: RemoteTrace }, ChannelError>> {
  const onBytes = (count: number) => {
    meter.wireBytes += count;
  };
  const mayBeRoot = ['root', 'sudo', 'sudo-password'].includes(host.privilege);
  for (const asRoot of mayBeRoot ? [false, true] : [false]) {
    const trace = { path: remoteFile, asRoot };
    const options = { signal, patience: { faults: 0 }, onBytes };
    const opened = await openPatiently(host, trace, options);
    if (opened.ok) return ok({ channel: opened.value, trace });
    if (opened.error.code !== 'no-permission' || asRoot === mayBeRoot) return opened;
  }
  return cancelled();
}

/** What is here of this very file; of another one nothing is. */
async function readKept(
  { identity }: FrameChannel,
  { folder, remoteFile, onNotice }: FetchOptions,
): Promise<TransferRecord | undefined> {
  const record = await readTransfer(folder);
  if (record === undefined || !isWhole(record)) return undefined;
  if (!isSame(record.file, identity)) {
    onNotice?.(
      'The trace on the host is another one than before: it is fetched from the beginning.',
    );
    return undefined;
  }
  const path = partIn(folder);
  // It was named, and whoever wanted it ended or failed before the library had it.
  const named = join(folder, localName(remoteFile));
  if (!(await hasPart(path, identity.bytes)) && (await hasPart(named, identity.bytes)))
    await rename(named, path).catch(() => undefined);
  return (await hasPart(path, identity.bytes)) ? record : undefined;
}
