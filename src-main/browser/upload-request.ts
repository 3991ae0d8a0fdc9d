import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import type { CallError } from '../shared/contract.ts';
import type { AddedInvestigation } from '../shared/investigation.ts';
import { fail, ok, type Result } from '../shared/result.ts';
import { answerText, closedSignal } from './answers.ts';
import { receiveUpload, uploadFailure } from './upload.ts';
import type { UploadStore } from './upload-store.ts';

type AddResult = Result<AddedInvestigation, CallError<'library.add'>>;
export type UploadAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
) => Promise<void>;

/**
 * Codes by which the same bytes will never open, and a cancelled one nobody waits for. `file-damaged`
 * is not among them: SQLite's lack of memory and read errors have it too. The sweep takes those.
 */
const REFUSALS: ReadonlySet<string> = new Set<CallError<'library.add'>>([
  'cancelled',
  'file-empty',
  'file-not-a-trace',
  'file-lfs-pointer',
  'file-truncated',
  'file-unknown-database',
  'file-no-events',
  'file-too-new',
  'file-unsafe',
]);

/** Answers `POST /upload?name=…`: stores the body and lists it, `atOnce` of them at a time. */
export function createUploadAnswer(app: App, store: UploadStore, atOnce: number): UploadAnswer {
  let running = 0;
  return async (request, response, url) => {
    if (request.headers['content-type'] !== 'application/octet-stream') {
      return answerText(response, 415, 'A file is sent as octet-stream.');
    }
    const name = url.searchParams.get('name') ?? '';
    running++;
    const adding =
      running > atOnce ? tooMany(atOnce) : addUpload(app, store, request, response, name);
    const result = await Promise.resolve(adding).finally(() => running--);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(result));
  };
}

function tooMany(atOnce: number): AddResult {
  return fail(
    'file-busy',
    `${atOnce} files are being added already: wait until one of them is done, then add this one again.`,
  );
}

async function addUpload(
  app: App,
  store: UploadStore,
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
): Promise<AddResult> {
  const signal = closedSignal(response);
  const path = await storeUpload(store, request, name);
  if (!path.ok) return path;
  // From here on the host works and the connection is silent.
  request.socket.setTimeout(0);
  const context = { signal, session: signal, progress: () => undefined };
  let isRefused = false;
  try {
    const added: AddResult = signal.aborted
      ? fail('cancelled', 'Cancelled.')
      : await app.handlers['library.add']({ path: path.value }, context);
    isRefused = !added.ok && REFUSALS.has(added.error.code);
    return added;
  } finally {
    await store.release(path.value, isRefused);
  }
}

async function storeUpload(
  store: UploadStore,
  request: IncomingMessage,
  name: string,
): Promise<Result<string, 'disk-full' | 'file-unreadable' | 'cancelled'>> {
  const expectedBytes = Number(request.headers['content-length'] ?? 0);
  try {
    const folder = await store.folder();
    const received = await receiveUpload(request, { name, folder, expectedBytes });
    return received.ok ? ok(await store.keep(received.value)) : received;
  } catch (thrown) {
    return uploadFailure(thrown, 'the upload folder');
  }
}
