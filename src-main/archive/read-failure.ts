import type { ArchiveError } from '../shared/contract/library-calls.ts';
import { describeThrown, fail, type Result } from '../shared/rpc/result.ts';
import { WrongContent } from './read-entry.ts';

const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** What an exception means for the user; one that is a bug is thrown on. */
export function readFailure(
  thrown: unknown,
  shown: string,
  signal: AbortSignal,
): Result<never, ReadArchiveError> {
  if (signal.aborted) return fail('cancelled', 'Cancelled.');
  const detail = describeThrown(thrown);
  if (thrown instanceof WrongContent) {
    const message = `“${shown}” is damaged: copy it again from where it came from.`;
    return fail('archive-damaged', message, detail);
  }
  const errno = errnoOf(thrown);
  if (errno === undefined) throw thrown;
  if (MISSING.has(errno)) {
    const message = `“${shown}” is not there: check whether it was moved or deleted.`;
    return fail('file-missing', message, detail);
  }
  if (FULL.has(errno)) {
    const message = `There is no room to unpack “${shown}”: free disk space and try again.`;
    return fail('disk-full', message, detail);
  }
  const message = `“${shown}” cannot be unpacked: check that it may be read, and the disk it is on.`;
  return fail('file-unreadable', message, detail);
}

/** The code of a failed system call. */
function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('syscall' in thrown) || !('code' in thrown)) return undefined;
  return String(thrown.code);
}

/** Codes of everything that can go wrong with reading a .stalltrace file. */
export type ReadArchiveError =
  | ArchiveError
  | 'file-missing'
  | 'file-unreadable'
  | 'disk-full'
  | 'cancelled';
