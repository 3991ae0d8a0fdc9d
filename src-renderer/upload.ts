import type { CallError } from '../src-main/contract/contract.ts';
import { TICKET_SCHEME, UNKNOWN_PAGE } from '../src-main/shared/browser-session.ts';
import type { AddedInvestigation } from '../src-main/shared/library/investigation.ts';
import { fail, type Result } from '../src-main/shared/rpc/result.ts';
import type { CallOptions } from '../src-main/shared/rpc/rpc.ts';
import type { PageSession } from './page-session.ts';

type AddResult = Result<AddedInvestigation, CallError<'library.add'>>;

const CUT_OFF = fail('disconnected', 'The upload was cut off: reconnect and try again.');

/** Streams a file to the browser host, once it gave a ticket for it. */
export async function uploadFile(
  session: PageSession,
  file: File,
  options: CallOptions,
): Promise<AddResult> {
  if (options.signal?.aborted) return fail('cancelled', 'Cancelled.');
  const ticket = await session.ticket('POST /upload');
  if (!ticket.ok) return ticket;
  return send(file, ticket.value, options);
}

/** XMLHttpRequest, because fetch reports no upload progress. */
function send(file: File, ticket: string, { signal, onProgress }: CallOptions): Promise<AddResult> {
  if (signal?.aborted) return Promise.resolve(fail('cancelled', 'Cancelled.'));
  const request = new XMLHttpRequest();
  return new Promise((resolve) => {
    const abort = () => request.abort();
    const settle = (result: AddResult) => {
      signal?.removeEventListener('abort', abort);
      resolve(result);
    };
    signal?.addEventListener('abort', abort, { once: true });
    request.open('POST', `/upload?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('authorization', `${TICKET_SCHEME} ${ticket}`);
    request.upload.onprogress = ({ loaded, total }) =>
      onProgress?.({ fraction: total > 0 ? loaded / total : 0, text: `Uploading ${file.name}` });
    request.upload.onload = () => onProgress?.({ text: `Reading ${file.name}` });
    request.onload = () => settle(resultOf(request));
    request.onerror = () => settle(CUT_OFF);
    request.onabort = () => settle(fail('cancelled', 'Cancelled.'));
    request.send(file);
  });
}

function resultOf(request: XMLHttpRequest): AddResult {
  if (request.status === 403) return fail('disconnected', UNKNOWN_PAGE);
  try {
    return JSON.parse(request.responseText) as AddResult;
  } catch {
    return fail(
      'internal',
      'Stalltrace could not take this file: try again, or open it by its path.',
      `HTTP ${request.status}`,
    );
  }
}
