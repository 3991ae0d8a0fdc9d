import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { REASON_HEADER } from '../shared/browser-session.ts';
import type { Result } from '../shared/rpc/result.ts';
import { answerText, pipeBody } from './answers.ts';

/** Statuses of what can be wrong with what is asked for; anything else is the host's own trouble. */
const STATUS: Readonly<Record<string, number>> = {
  'not-found': 404,
  'not-open': 404,
  'file-missing': 404,
  'path-not-allowed': 403,
  'file-busy': 409,
  'process-lost': 410,
};

interface DownloadBody {
  readonly stream: Readable;
  /** Where the host names the file, not the page. */
  readonly fileName?: string;
}

/**
 * Answers with a file that is made while it is sent. `HEAD` asks whether that is possible; why not stands in a
 * header, as its answer has no body. Once bytes were sent, what fails can only cut the connection: a browser
 * then says that the download failed.
 */
export function answerDownload(
  { method }: IncomingMessage,
  response: ServerResponse,
  made: Result<DownloadBody>,
): void {
  if (!made.ok) {
    const { code, message } = made.error;
    const reason = encodeURIComponent(message.toWellFormed());
    answerText(response, STATUS[code] ?? 500, message, { [REASON_HEADER]: reason });
    return;
  }
  const { stream, fileName } = made.value;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition(fileName),
    'cache-control': 'no-store',
  });
  if (method === 'HEAD') {
    stream.destroy();
    response.end();
    return;
  }
  pipeBody(response, stream);
}

/** RFC 6266: the name in ASCII for old readers, and as it is. */
function disposition(fileName: string | undefined): string {
  if (fileName === undefined) return 'attachment';
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
