import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchedTrace } from '../../shared/contract/remote-process-calls.ts';
import type { TransferProgress } from '../../shared/remote/run.ts';
import { type Failure, ok, type Result } from '../../shared/rpc/result.ts';
import { formatBytes } from '../../shared/text/units.ts';
import type { TransferRecord } from '../state/run-record.ts';
import { brokeItsWord } from './broken-word.ts';
import { isSame } from './fetch-frames.ts';
import { fetchInto, localName } from './fetch-into.ts';
import type { JobError, Opening } from './fetch-job.ts';
import {
  type ChannelError,
  cancelled,
  type FileIdentity,
  type FrameChannel,
  type RemoteTrace,
  type TraceHost,
} from './frame-channel.ts';
import { hasPart, openPart } from './part-file.ts';
import { newPatience, openPatiently } from './patient-open.ts';
import { TransferMeter } from './transfer-meter.ts';
import { dropTransfer, isWhole, newTransfer, partIn, readTransfer } from './transfer-state.ts';

/** A trace that changes is fetched anew, and bad parts a few times. */
export type FetchError = Exclude<JobError, 'changed' | 'bad-part'>;

export interface FetchOptions {
  /** On the host, absolute: a trace that nobody writes to any more. */
  readonly remoteFile: string;
  /** On this machine, there already, this run's alone: `transfer.json` and `trace.part`, at last the trace. */
  readonly folder: string;
  /** What its capture was allowed: no recorder of ours goes beyond. */
  readonly mostBytes: number;
  /** What it has, where its recorder could say so at its end. */
  readonly finalBytes?: number | undefined;
  /** Cancelling keeps what is here: the next call goes on from there. */
  readonly signal: AbortSignal;
  /** At most 4 times a second; steps `waiting`, `downloading`, `verifying`. */
  readonly onProgress: (progress: TransferProgress) => void;
  /** What the user should know of it though it goes on: a sentence. */
  readonly onNotice?: (sentence: string) => void;
  /** What patience counts by; else 1000. */
  readonly secondMs?: number;
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
      const error = inWords(fetched.error, beginning);
      if (error === undefined) continue;
      if (NOTHING_KEPT.has(error.code)) await dropTransfer(options.folder);
      return { ok: false, error };
    }
  } finally {
    clearInterval(timer);
    tell();
  }
}

const NOTHING_KEPT: ReadonlySet<FetchError> = new Set(['host-broke-word', 'trace-damaged']);

/** What a person is told; undefined: it is begun anew. */
function inWords(
  { code, message, detail }: Failure<JobError>,
  beginning: number,
): Failure<FetchError> | undefined {
  if (code === 'changed') return beginning < MOST_BEGINNINGS ? undefined : KEEPS_CHANGING;
  if (code === 'bad-part') return brokeItsWord(BAD_PARTS);
  return { code, message, ...(detail !== undefined && { detail }) };
}

const BAD_PARTS = 'what it sends fails its own checksums again and again';
const KEEPS_CHANGING = {
  code: 'trace-damaged',
  message:
    'The trace on the host keeps changing: wait until its capture has ended, then bring it back again.',
} as const;

/** Whether a host sends what was to be expected of it, before anything of it is on this disk. */
function checkSize(
  { bytes }: FileIdentity,
  { mostBytes, finalBytes }: FetchOptions,
): Result<null, 'host-broke-word'> {
  const size = `it wants to send a trace of ${formatBytes(bytes)}`;
  if (finalBytes !== undefined && bytes > finalBytes)
    return broken(`${size}, and had said that it has ${formatBytes(finalBytes)}`);
  if (bytes > mostBytes)
    return broken(`${size} of a capture that was allowed ${formatBytes(mostBytes)}`);
  return ok(null);
}

function broken(what: string): Result<never, 'host-broke-word'> {
  return { ok: false, error: brokeItsWord(what) };
}

async function fetchOnce(
  host: TraceHost,
  options: FetchOptions,
  meter: TransferMeter,
): Promise<Result<FetchedTrace, JobError>> {
  meter.step = 'waiting';
  const opening: Opening = {
    secondMs: options.secondMs ?? 1000,
    onBytes(count) {
      meter.wireBytes += count;
    },
  };
  const first = await openFirst(host, options, opening);
  if (!first.ok) return first;
  const { channel, trace } = first.value;
  const close = () => channel.close();
  options.signal.addEventListener('abort', close);
  try {
    const { identity } = channel;
    const expected = checkSize(identity, options);
    if (!expected.ok) return expected;
    const kept = await readKept(channel, options);
    const part = await openPart(partIn(options.folder), identity.bytes, kept !== undefined);
    if (!part.ok) return part;
    const record = kept ?? newTransfer(identity);
    const begun = { ...options, host, opening, meter, channel, trace, record, part: part.value };
    return await fetchInto(begun);
  } finally {
    options.signal.removeEventListener('abort', close);
    close();
  }
}

/** The first channel says which file it is; by root where the user may not read it. */
async function openFirst(
  host: TraceHost,
  { remoteFile, signal }: FetchOptions,
  opening: Opening,
): Promise<Result<{ channel: FrameChannel; trace: RemoteTrace }, ChannelError>> {
  const mayBeRoot = ['root', 'sudo', 'sudo-password'].includes(host.privilege);
  for (const asRoot of mayBeRoot ? [false, true] : [false]) {
    const trace = { path: remoteFile, asRoot };
    const patience = newPatience(opening);
    const opened = await openPatiently(host, trace, { ...opening, signal, patience });
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
    onNotice?.('The trace on the host has changed: it is fetched from the beginning.');
    return undefined;
  }
  const path = partIn(folder);
  // It was named, and whoever wanted it ended or failed before the library had it.
  const named = join(folder, localName(remoteFile));
  if (!(await hasPart(path, identity.bytes)) && (await hasPart(named, identity.bytes)))
    await rename(named, path).catch(() => undefined);
  return (await hasPart(path, identity.bytes)) ? record : undefined;
}
