import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { describeThrown, fail, ok, type Result } from '../shared/result.ts';
import { cleanText } from '../shared/text.ts';
import type { TraceFileError } from '../shared/trace-file-errors.ts';

/** Files beside a database that hold part of its data while it is recorded. */
const SIDECARS = ['-wal', '-journal'] as const;

export interface WholeTrace {
  readonly trace: FileHandle;
  readonly traceBytes: number;
}

/** Opens a trace that is all in its one file, without blocking. */
export async function openWhole(path: string): Promise<Result<WholeTrace, TraceFileError>> {
  const shown = cleanText(basename(path), 120);
  if (await hasLog(path)) {
    const message = `“${shown}” is still written to, or its recorder was cut off: open it once more when the recording has ended, then save it.`;
    return fail('file-busy', message);
  }
  let trace: FileHandle | undefined;
  try {
    trace = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const status = await trace.stat();
    if (status.isFile()) return ok({ trace, traceBytes: status.size });
    await trace.close();
    return fail('file-not-a-trace', `“${shown}” is no file: choose the trace itself.`);
  } catch (thrown) {
    await trace?.close();
    return openFailure(thrown, shown);
  }
}

/** Whether part of the trace is in a log beside it. */
export async function hasLog(path: string): Promise<boolean> {
  const sizes = await Promise.all(
    SIDECARS.map(async (suffix) => (await stat(path + suffix).catch(() => undefined))?.size ?? 0),
  );
  return sizes.some((size) => size > 0);
}

function openFailure(thrown: unknown, shown: string): Result<never, TraceFileError> {
  const errno = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (errno === undefined) throw thrown;
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    const message = `“${shown}” is not there: say in the library where it is now.`;
    return fail('file-missing', message, describeThrown(thrown));
  }
  const message = `“${shown}” cannot be read: check its permissions and the disk it is on.`;
  return fail('file-unreadable', message, describeThrown(thrown));
}
