/** Where both hosts serve the columns of a table as one body: `/data/<traceId>/<table>?columns=a,b`. */

const DATA_PATH = /^\/data\/([0-9a-f-]{36})\/([a-z_]{1,40})$/;

/** What a path asks for, not yet known to exist; `undefined` for a path that asks for no table. */
export function parseDataPath(
  pathname: string,
): { readonly traceId: string; readonly table: string } | undefined {
  const [, traceId, table] = DATA_PATH.exec(pathname) ?? [];
  return traceId === undefined || table === undefined ? undefined : { traceId, table };
}

const GONE = 410;

/** The HTTP status of a table that is not served: 410 where its process was lost, else 404. */
export function dataStatus(code: 'not-open' | 'not-found' | 'process-lost'): 404 | 410 {
  return code === 'process-lost' ? GONE : 404;
}

/** What `dataStatus` said, for the one who asked; `undefined` for a status of another meaning. */
export function dataError(status: number): 'not-open' | 'process-lost' | undefined {
  if (status === GONE) return 'process-lost';
  return status === 404 ? 'not-open' : undefined;
}
