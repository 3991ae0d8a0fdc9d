import type { Failure, Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';

/** Primary result codes, https://www.sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_NOMEM = 7;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_TOOBIG = 18;
const SQLITE_AUTH = 23;
/** Extended code of SQLITE_IOERR: the file ended inside a page. */
const SQLITE_IOERR_SHORT_READ = 522;

type TraceFileFailure = Failure<TraceFileError>;

function sqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  return typeof thrown.errcode === 'number' ? thrown.errcode : undefined;
}

const failuresByPrimaryCode = new Map<number, readonly [TraceFileError, string]>([
  [SQLITE_BUSY, ['file-busy', 'is locked by a program that writes to it: stop the recorder']],
  [SQLITE_LOCKED, ['file-busy', 'is locked by a program that writes to it: stop the recorder']],
  [
    SQLITE_NOMEM,
    ['file-damaged', 'needs more memory than there is: close other programs and try again'],
  ],
  [SQLITE_IOERR, ['file-damaged', 'cannot be read to its end: copy it again from where it is']],
  [SQLITE_FULL, ['disk-full', 'needs disk space for a private copy: free some and try again']],
  [
    SQLITE_CANTOPEN,
    ['file-unreadable', 'cannot be opened: check that it still exists and may be read'],
  ],
  [
    SQLITE_TOOBIG,
    ['file-unsafe', 'holds a value larger than any trace has: get it from its recorder again'],
  ],
  [
    SQLITE_AUTH,
    [
      'file-unsafe',
      'uses views, virtual tables or generated columns where a trace has plain tables: get the original file from its recorder',
    ],
  ],
]);

/** What SQLite's exception means for the user, or `undefined` where the exception is not SQLite's. */
export function sqliteFailure(thrown: unknown, fileName: string): TraceFileFailure | undefined {
  const code = sqliteCode(thrown);
  if (code === undefined) return undefined;
  const detail = `SQLite ${code}: ${(thrown as Error).message}`;
  if (code === SQLITE_IOERR_SHORT_READ) {
    const message = `“${fileName}” ends too early: copy it again from where it was recorded.`;
    return { code: 'file-truncated', message, detail };
  }
  const [failureCode, words] = failuresByPrimaryCode.get(code & 0xff) ?? [
    'file-damaged' as const,
    'is damaged inside: copy it again, or let `sqlite3 FILE .recover` save what can be read',
  ];
  return { code: failureCode, message: `“${fileName}” ${words}.`, detail };
}

/** Runs `read`, turning SQLite's exceptions into failures. Other exceptions are bugs and pass. */
export function catchingSqlite<T>(
  fileName: string,
  read: () => Result<T, TraceFileError>,
): Result<T, TraceFileError> {
  try {
    return read();
  } catch (thrown) {
    const failure = sqliteFailure(thrown, fileName);
    if (failure === undefined) throw thrown;
    return { ok: false, error: failure };
  }
}
