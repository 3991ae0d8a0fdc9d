import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import { answerText, closedSignal, pipeBody } from './answers.ts';

const DATA_PATH = /^\/data\/([0-9a-f-]{36})\/([a-z_]{1,40})$/;

/** `GET /data/<traceId>/<table>?columns=a,b`: a table's binary body, see shared/columns-codec.ts. */
export async function sendTable(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const match = DATA_PATH.exec(url.pathname);
  if (match === null) return answerText(response, 404, 'Not found');
  // The trace's process may be busy with a long question; a page that leaves ends this by itself.
  request.socket.setTimeout(0);
  const columns = url.searchParams.get('columns')?.split(',');
  const gone = closedSignal(response);
  const table = await app.openTable(match[1] ?? '', match[2] ?? '', columns, gone);
  if (!table.ok) {
    const status = table.error.code === 'process-lost' ? 410 : 404;
    return answerText(response, status, table.error.message);
  }
  const { stream, byteLength } = table.value;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': byteLength,
    'cache-control': 'no-store',
  });
  pipeBody(response, stream);
}
