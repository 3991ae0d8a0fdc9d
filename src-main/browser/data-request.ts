import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import { dataStatus, traceOfDataPath } from '../shared/rpc/data-path.ts';
import { answerText, closedSignal, pipeBody } from './answers.ts';

/**
 * `GET /data/<traceId>/tiles?filter=…&runs=…`: tiles as one binary body, see shared/rpc/packed.ts. One that nobody
 * reads for `unreadMs` is cut.
 */
export async function sendTiles(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  unreadMs: number,
): Promise<void> {
  const traceId = traceOfDataPath(url.pathname);
  if (traceId === undefined) return answerText(response, 404, 'Not found');
  // The trace's process may be busy with a long question; a page that leaves ends this by itself.
  request.socket.setTimeout(0);
  const gone = closedSignal(response);
  const tiles = await app.openTiles(traceId, url.search.slice(1), gone);
  if (!tiles.ok) return answerText(response, dataStatus(tiles.error.code), tiles.error.message);
  request.socket.setTimeout(unreadMs);
  const { stream, byteLength } = tiles.value;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': byteLength,
    'cache-control': 'no-store',
  });
  pipeBody(response, stream);
}
