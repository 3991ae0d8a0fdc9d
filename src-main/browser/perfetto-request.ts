import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import { parsePerfettoPath } from '../shared/rpc/perfetto-path.ts';
import { ok } from '../shared/rpc/result.ts';
import { answerText, closedSignal } from './answers.ts';
import { answerDownload } from './download-answer.ts';

/** `GET /perfetto/<traceId>/hidden`, or `/shown`: a timeline for Perfetto, made while it is sent. The page names the file. */
export async function sendPerfetto(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const wanted = parsePerfettoPath(url.pathname);
  if (wanted === undefined) return answerText(response, 404, 'Not found');
  const { traceId, hidePrivate } = wanted;
  // A trace that was put away is read again first, and a browser may hold a download.
  request.socket.setTimeout(0);
  const opened = await app.openPerfetto(traceId, { hidePrivate }, closedSignal(response));
  answerDownload(request, response, opened.ok ? ok({ stream: opened.value }) : opened);
}
