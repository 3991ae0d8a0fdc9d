import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Answers with one sentence; `headers` beside its type. */
export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(text);
}

/** Pipes a body; either end that fails or has gone takes the other with it. */
export function pipeBody(response: ServerResponse, body: Readable): void {
  // Also one that is thrown away may still fail to open, which would end the process.
  body.on('error', () => response.destroy());
  if (response.destroyed) {
    body.destroy();
    return;
  }
  response.on('close', () => body.destroy());
  body.pipe(response);
}

/** Aborted when the answer is complete or whoever waits for it has gone. */
export function closedSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) closed.abort();
  else response.on('close', () => closed.abort());
  return closed.signal;
}
