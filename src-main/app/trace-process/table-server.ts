import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { encodeColumns } from '../../shared/model/columns-codec.ts';
import { type TableName, tableSpecs } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { createServer, request } from '../../system/node-http.ts';

/**
 * Bulk columns leave a trace process as HTTP bodies over a local socket (a Unix socket in a 0700
 * folder, a named pipe on Windows): message ports copy them twice and know no back-pressure.
 */

const WRITE_BYTES = 1 << 20;

/** Serves `trace`'s tables at `/<table>?columns=a,b` on the local socket `path`. */
export async function serveTables(path: string, trace: Trace): Promise<void> {
  const server = createServer((incoming, response) => answer(trace, incoming, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  // The process lives as long as its parent wants it to, not as long as its socket.
  server.unref();
}

function answer(trace: Trace, incoming: IncomingMessage, response: ServerResponse): void {
  const url = new URL(incoming.url ?? '/', 'http://local');
  const table = url.pathname.slice(1);
  if (!Object.hasOwn(tableSpecs, table)) {
    response.writeHead(404).end();
    return;
  }
  const wanted = url.searchParams.get('columns')?.split(',');
  const columns = trace.tables[table as TableName].columns;
  const { chunks, byteLength } = encodeColumns(table as TableName, columns, wanted);
  response.writeHead(200, { 'content-length': byteLength });
  const body = Readable.from(slices(chunks), { objectMode: true });
  response.on('close', () => body.destroy());
  body.pipe(response);
}

/** Cuts what is written at once, so that back-pressure works within a column of a gigabyte. */
function* slices(chunks: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const chunk of chunks) {
    for (let offset = 0; offset < chunk.length; offset += WRITE_BYTES) {
      yield chunk.subarray(offset, offset + WRITE_BYTES);
    }
  }
}

export interface TableBody {
  readonly stream: Readable;
  readonly byteLength: number;
}

/**
 * Fetches a table from the process that serves it at the local socket `path`. Aborting `signal` ends
 * the connection, whether or not that process has answered.
 */
export function fetchTable(
  path: string,
  table: string,
  columns: readonly string[] | undefined,
  signal?: AbortSignal,
): Promise<Result<TableBody, 'not-found' | 'process-lost'>> {
  const query = columns === undefined ? '' : `?columns=${encodeURIComponent(columns.join(','))}`;
  return new Promise((resolve) => {
    const lost = (error: Error) =>
      resolve(
        fail('process-lost', 'The process of this trace has ended: open it again.', error.message),
      );
    const outgoing = request(
      // A connection of its own: one kept alive may be closed by the other end as it is taken again.
      {
        socketPath: path,
        path: `/${encodeURIComponent(table)}${query}`,
        agent: false,
        ...(signal !== undefined && { signal }),
      },
      (response) => {
        if (response.statusCode === 200) {
          const byteLength = Number(response.headers['content-length']);
          resolve(ok({ stream: response, byteLength }));
        } else {
          response.resume();
          resolve(fail('not-found', `There is no table "${table.slice(0, 80)}".`));
        }
      },
    );
    outgoing.on('error', lost);
    outgoing.end();
  });
}
