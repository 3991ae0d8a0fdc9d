import { Readable } from 'node:stream';
import type { App } from '../app/app.ts';
import { openStaticFile } from '../hosts/static-files.ts';
import { SECURITY_HEADERS } from '../shared/content-security.ts';
import { dataStatus, traceOfDataPath } from '../shared/rpc/data-path.ts';
import { APP_ORIGIN } from './app-scheme.ts';

/**
 * Answers `app://stalltrace/…`: the renderer's files, and `/data/<traceId>/tiles?…`, tiles of a timeline as one
 * binary body (see shared/rpc/packed.ts).
 */
export function createAppRequestHandler(
  rendererFolder: string,
  openTiles: App['openTiles'],
): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    if (`${url.protocol}//${url.host}` !== APP_ORIGIN) return refuse(404);
    if (request.method !== 'GET') return refuse(405);
    const traceId = traceOfDataPath(url.pathname);
    return traceId === undefined
      ? answerFile(rendererFolder, url)
      : answerTiles(openTiles, traceId, url.search.slice(1));
  };
}

async function answerFile(rendererFolder: string, url: URL): Promise<Response> {
  const file = await openStaticFile(rendererFolder, url.pathname);
  return file === undefined ? refuse(404) : answer(file.body(), file.byteLength, file.mimeType);
}

async function answerTiles(
  openTiles: App['openTiles'],
  traceId: string,
  query: string,
): Promise<Response> {
  const opened = await openTiles(traceId, query);
  if (!opened.ok) return refuse(dataStatus(opened.error.code));
  return answer(opened.value.stream, opened.value.byteLength, 'application/octet-stream');
}

/** Cancelling the web stream destroys the Node one: a page that left stops the transfer. */
function answer(body: Readable, byteLength: number, contentType: string): Response {
  return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, {
    headers: {
      ...SECURITY_HEADERS,
      'cache-control': 'no-store',
      'content-length': String(byteLength),
      'content-type': contentType,
    },
  });
}

function refuse(status: number): Response {
  return new Response(null, { status, headers: SECURITY_HEADERS });
}
