import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import { REASON_HEADER } from '../shared/browser-session.ts';
import { answerText, closedSignal, pipeBody } from './answers.ts';

/** Statuses of what can be wrong with an entry; anything else is the host's own trouble. */
const STATUS: Readonly<Record<string, number>> = {
  'not-found': 404,
  'file-missing': 404,
  'path-not-allowed': 403,
  'file-busy': 409,
};

/**
 * `GET /archive/<id>`: an investigation as one .stalltrace file, made while it is sent. `HEAD` asks
 * whether that is possible; why not stands in a header, as its answer has no body. Once bytes were sent, what fails can only cut the connection: a browser
 * then says that the download failed.
 */
export async function sendArchive(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const id = Number(/^\/archive\/([1-9]\d{0,14})$/.exec(url.pathname)?.[1]);
  if (Number.isNaN(id)) return answerText(response, 404, 'Not found');
  // Packing may take a while to begin, and a browser may hold a download; one that ends it is noticed.
  request.socket.setTimeout(0);
  const packed = await app.openArchive(id, closedSignal(response));
  if (!packed.ok) {
    const { code, message } = packed.error;
    const reason = encodeURIComponent(message.toWellFormed());
    return answerText(response, STATUS[code] ?? 500, message, { [REASON_HEADER]: reason });
  }
  const { stream, fileName } = packed.value;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition(fileName),
    'cache-control': 'no-store',
  });
  if (request.method === 'HEAD') {
    stream.destroy();
    response.end();
    return;
  }
  pipeBody(response, stream);
}

/** RFC 6266: the name in ASCII for old readers, and as it is. */
function disposition(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
