import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import { answerText, closedSignal } from './answers.ts';
import { answerDownload } from './download-answer.ts';

/** `GET /archive/<id>`: an investigation as one .stalltrace file, made while it is sent. */
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
  answerDownload(request, response, packed);
}
