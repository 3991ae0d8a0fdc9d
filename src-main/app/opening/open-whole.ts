import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, CommonError } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../../shared/text/text.ts';
import { openForReading } from '../../system/read-head.ts';
import type { Services } from '../services/services.ts';
import { removeScratch } from '../traces/scratch-folders.ts';
import { kindOfFile } from './kind-of-file.ts';
import { makeScratch } from './open-file.ts';
import { hasLog } from './sidecars.ts';

/** A trace that is all in one file. */
interface WholeTrace {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  close(): Promise<void>;
}

type Opened = Result<WholeTrace, TraceFileError | CommonError>;

/**
 * Opens a trace for reading the bytes that are given away: of one that is still written to, a copy with its
 * log in it; of one that says where its machine's kernel lay, a copy without that.
 */
export async function openWhole(
  services: Services,
  path: string,
  context: CallContext,
): Promise<Opened> {
  if (!(await hasLog(path))) {
    const holds = await holdsKernelAddresses(services, path, context);
    if (!holds.ok) return holds;
    if (!holds.value) return openPlain(path);
  }
  const scratch = await makeScratch(services);
  if (!scratch.ok) return scratch;
  const folder = scratch.value;
  const target = join(folder, 'trace.db');
  const copied = await services.copier.copy(path, target, context);
  const hidden = copied.ok ? await services.copier.hideKernelAddresses(target, context) : copied;
  const opened = hidden.ok ? await openPlain(target) : hidden;
  if (!opened.ok) {
    await removeScratch(folder);
    return opened;
  }
  async function close(): Promise<void> {
    if (opened.ok) await opened.value.close();
    await removeScratch(folder);
  }
  return ok({ ...opened.value, close });
}

/** Any other file is packed as it is, whatever it may be. */
async function holdsKernelAddresses(services: Services, path: string, context: CallContext) {
  const opened = await openPlain(path);
  if (!opened.ok) return opened;
  await opened.value.close();
  if ((await kindOfFile(path)) !== 'capture') return ok(false);
  const holds = await services.copier.holdsKernelAddresses(path, context);
  // Whoever opens the archive is told what is wrong with it.
  return holds.ok || holds.error.code === 'cancelled' ? holds : ok(false);
}

async function openPlain(path: string): Promise<Opened> {
  const shown = cleanText(basename(path), 120);
  let handle: FileHandle | undefined;
  try {
    handle = await openForReading(path);
    const status = await handle.stat();
    if (status.isFile()) return ok(closable(handle, status.size));
    await handle.close();
    return fail('file-not-a-trace', `“${shown}” is not a file: choose the trace itself.`);
  } catch (thrown) {
    await handle?.close();
    return openFailure(thrown, shown);
  }
}

function closable(handle: FileHandle, sizeBytes: number): WholeTrace {
  return { handle, sizeBytes, close: () => handle.close() };
}

function openFailure(thrown: unknown, shown: string): Result<never, TraceFileError> {
  const errno = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (errno === undefined) throw thrown;
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    const message = `“${shown}” is not there: locate it in the library.`;
    return fail('file-missing', message, describeThrown(thrown));
  }
  const message = `“${shown}” cannot be read: check its permissions and the disk it is on.`;
  return fail('file-unreadable', message, describeThrown(thrown));
}
