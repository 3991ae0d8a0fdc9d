import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import { dataStatus, parseDataPath } from '../shared/rpc/data-path.ts';
import { answerText, closedSignal, pipeBody } from './answers.ts';

/**
 * `GET /data/<traceId>/<table>?columns=a,b`: a table's binary body, see shared/columns-codec.ts. One
 * that nobody reads for `unreadMs` is cut.
 */
export async function sendTable(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  unreadMs: number,
): Promise<void> {
  const wanted = parseDataPath(url.pathname);
  if (wanted === undefined) return answerText(response, 404, 'Not found');
  // The trace's process may be busy with a long question; a page that leaves ends this by itself.
  request.socket.setTimeout(0);
  const columns = url.searchParams.get('columns')?.split(',');
  const gone = closedSignal(response);
  const table = await app.openTable(wanted.traceId, wanted.table, columns, gone);
  if (!table.ok) {
    return answerText(response, dataStatus(table.error.code), table.error.message);
  }
  request.socket.setTimeout(unreadMs);
  const { stream, byteLength } = table.value;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': byteLength,
    'cache-control': 'no-store',
  });
  pipeBody(response, stream);
}
