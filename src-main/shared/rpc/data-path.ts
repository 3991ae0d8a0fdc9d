/** Where both hosts serve tiles of a timeline as one body: `/data/<traceId>/tiles?filter=…&runs=…`. */

const DATA_PATH = /^\/data\/([0-9a-f-]{36})\/tiles$/;

/** Of which trace a path asks for tiles; `undefined` for a path that asks for none. */
export function traceOfDataPath(pathname: string): string | undefined {
  return DATA_PATH.exec(pathname)?.[1];
}

const GONE = 410;

/** The HTTP status of tiles that are not served: 410 where its process was lost, 400 where there are no such tiles, else 404. */
export function dataStatus(code: 'not-open' | 'not-found' | 'process-lost'): 400 | 404 | 410 {
  if (code === 'not-found') return 400;
  return code === 'process-lost' ? GONE : 404;
}

/** What `dataStatus` said, for the one who asked; `undefined` for a status of another meaning. */
export function dataError(status: number): 'not-open' | 'process-lost' | undefined {
  if (status === GONE) return 'process-lost';
  return status === 404 ? 'not-open' : undefined;
}
