import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import type { App } from '../app/app.ts';
import type { CallError } from '../contract/contract.ts';
import type { AddedInvestigation } from '../shared/library/investigation.ts';
import { fail, type Result } from '../shared/rpc/result.ts';
import { closedSignal } from './answers.ts';
import { keepPace, type Pace } from './upload-pace.ts';

type AddResult = Result<AddedInvestigation, CallError<'library.add'>>;
export type UploadAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
) => Promise<void>;

/** Answers `POST /upload?name=…`: stores the body and lists it, `atOnce` of them at a time. */
export function createUploadAnswer(app: App, atOnce: number, pace: Pace): UploadAnswer {
  let running = 0;
  return async (request, response, url) => {
    const name = url.searchParams.get('name') ?? '';
    running++;
    const adding =
      running > atOnce ? tooMany(atOnce) : addUpload(app, request, response, name, pace);
    const result = await Promise.resolve(adding).finally(() => running--);
    const text = JSON.stringify(result);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.write(text);
    await dropRest(request, pace);
    response.end();
  };
}

/**
 * Reads and drops what a refused file still sends: who is cut off while it writes may never read
 * why, as the end of its connection drops an answer that has already arrived.
 */
async function dropRest(request: IncomingMessage, pace: Pace): Promise<void> {
  const stopPace = keepPace(request, pace);
  request.resume();
  await finished(request).catch(() => undefined);
  stopPace();
}

function tooMany(atOnce: number): AddResult {
  return fail(
    'file-busy',
    `${atOnce} files are being added already: wait until one of them is done, then add this one again.`,
  );
}

function addUpload(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  pace: Pace,
): Promise<AddResult> {
  const signal = closedSignal(response);
  const expectedBytes = Number(request.headers['content-length'] ?? 0);
  const context = { signal, session: signal, progress: () => undefined };
  const stopPace = keepPace(request, pace);
  // Once all is here the host works and the connection is silent.
  const received = () => {
    stopPace();
    request.socket.setTimeout(0);
  };
  return app.addStream({ name, body: request, expectedBytes }, context, received).finally(stopPace);
}
