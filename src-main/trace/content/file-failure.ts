import { dirname } from 'node:path';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../../shared/text/text.ts';

/** A failure of the file system, by its errno; `path`: where the file was looked for. */
export function fileFailure(
  thrown: unknown,
  fileName: string,
  path?: string,
): Result<never, TraceFileError> {
  const errno = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  switch (errno) {
    case 'ENOENT':
    case 'ENOTDIR':
      return fail(
        'file-missing',
        `“${fileName}” is not ${path === undefined ? 'there' : `in ${cleanText(dirname(path), 4096)}`}: check whether it was moved or deleted.`,
        detail,
      );
    case 'ELOOP':
      return fail(
        'file-unreadable',
        `“${fileName}” is a symbolic link that leads back to itself: choose the file it should lead to.`,
        detail,
      );
    case 'EACCES':
    case 'EPERM':
      return fail(
        'file-unreadable',
        `You may not read “${fileName}”: change its permissions or copy it as its owner.`,
        detail,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return fail(
        'disk-full',
        `There is no room for a private copy of “${fileName}”: free disk space and try again.`,
        detail,
      );
    default:
      return fail(
        'file-unreadable',
        `“${fileName}” cannot be read: check the disk or network drive it is on.`,
        detail,
      );
  }
}
