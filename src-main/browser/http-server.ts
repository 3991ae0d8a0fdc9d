import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { App } from '../app/app.ts';
import { SECURITY_HEADERS } from '../shared/content-security.ts';
import { openStaticFile } from '../static-files.ts';
import type { Guard, Refusal } from './guard.ts';
import { receiveUpload } from './upload.ts';

const MAX_SESSION_BODY_BYTES = 1024;
const DATA_PATH = /^\/data\/([0-9a-f-]{36})\/([a-z_]{1,40})$/;
const sessionBody = z.strictObject({ token: z.string().max(200) });

export interface HttpServerOptions {
  readonly app: App;
  readonly guard: Guard;
  /** Folder of the built renderer. */
  readonly rendererRoot: string;
  readonly uploadFolder: string;
}

/** The loopback server without its WebSocket: page, session, bulk data, upload. */
export function createHttpServer(options: HttpServerOptions): Server {
  return createServer((request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    void route(options, request, response).catch((bug) => {
      console.error(`bug while answering ${request.method} request:`, bug);
      response.destroy();
    });
  });
}

async function route(
  options: HttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { guard } = options;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const foreign = guard.checkOrigin(request, !isRead);
  if (foreign !== undefined) return refuse(response, foreign);
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (url.pathname === '/session' && request.method === 'POST') {
    return startSession(guard, request, response);
  }
  if (url.pathname.startsWith('/data/') || url.pathname === '/upload') {
    const stranger = guard.checkCookie(request);
    if (stranger !== undefined) return refuse(response, stranger);
    return url.pathname === '/upload'
      ? upload(options, request, response, url)
      : sendTable(options.app, response, url);
  }
  if (!isRead) {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  await sendFile(response, options.rendererRoot, url.pathname);
}

function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(reason);
}

async function startSession(
  guard: Guard,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readJson(request);
  const parsed = sessionBody.safeParse(body);
  const cookie = parsed.success ? guard.exchange(parsed.data.token) : undefined;
  if (cookie === undefined) {
    return refuse(response, {
      status: 403,
      reason: 'This link was used before or is older than a minute.',
    });
  }
  response.writeHead(204, { 'set-cookie': cookie }).end();
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json') return undefined;
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_SESSION_BODY_BYTES) return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function sendFile(response: ServerResponse, root: string, pathname: string): Promise<void> {
  const file = await openStaticFile(root, pathname === '/' ? '/index.html' : pathname);
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
    return;
  }
  response.writeHead(200, {
    'content-type': file.mimeType,
    'content-length': file.byteLength,
    // Vite names assets by their hash; the page itself must be asked for each time.
    'cache-control': pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
  });
  send(response, file.body());
}

/** Pipes a body; either end that fails takes the other with it. */
function send(response: ServerResponse, body: Readable): void {
  body.on('error', () => response.destroy());
  response.on('close', () => body.destroy());
  body.pipe(response);
}

async function sendTable(app: App, response: ServerResponse, url: URL): Promise<void> {
  const match = DATA_PATH.exec(url.pathname);
  const columns = url.searchParams.get('columns')?.split(',');
  const table =
    match === null ? undefined : await app.openTable(match[1] ?? '', match[2] ?? '', columns);
  if (table === undefined || !table.ok) {
    const message = table === undefined ? 'Not found' : table.error.message;
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(message);
    return;
  }
  const { stream, byteLength } = table.value;
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': byteLength,
    'cache-control': 'no-store',
  });
  send(response, stream);
}

async function upload(
  { app, uploadFolder }: HttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const type = request.headers['content-type'];
  if (request.method !== 'POST' || type !== 'application/octet-stream') {
    return refuse(response, { status: 403, reason: 'A file is sent by POST as octet-stream.' });
  }
  const stored = await receiveUpload(request, url.searchParams.get('name') ?? '', uploadFolder);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const result = stored.ok
    ? await app.addUpload(stored.value, {
        signal: gone.signal,
        session: gone.signal,
        progress: () => undefined,
      })
    : stored;
  // The rest of a refused body is not read: the connection can't be used again.
  response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(result));
}

/** The folder uploads are kept in, inside the data folder. */
export function uploadFolderOf(dataFolder: string): string {
  return join(dataFolder, 'uploads');
}
