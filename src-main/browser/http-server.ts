import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { App } from '../app/app.ts';
import { SECURITY_HEADERS } from '../shared/content-security.ts';
import { openStaticFile } from '../static-files.ts';
import { answerText, pipeBody } from './answers.ts';
import { sendArchive } from './archive-request.ts';
import { sendTable } from './data-request.ts';
import type { Guard } from './guard.ts';
import { startSession } from './session-request.ts';
import { createUploadAnswer, type UploadAnswer } from './upload-request.ts';

interface HttpLimits {
  /** A connection that moves no byte for so long is cut, unless the host or the page works on it. */
  readonly idleMs: number;
  /** For the whole body of `POST /session`. */
  readonly sessionBodyMs: number;
  readonly uploadsAtOnce: number;
}

const LIMITS: HttpLimits = { idleMs: 60_000, sessionBodyMs: 10_000, uploadsAtOnce: 4 };
const HEADERS_MS = 60_000;
const MAX_CONNECTIONS = 256;

export interface HttpServerOptions {
  readonly app: App;
  readonly guard: Guard;
  /** Folder of the built renderer. */
  readonly rendererRoot: string;
  readonly limits?: Partial<HttpLimits>;
}

interface Context extends HttpServerOptions {
  readonly limits: HttpLimits;
  readonly upload: UploadAnswer;
}

/** The loopback server without its WebSocket: page, session, bulk data, upload. */
export function createHttpServer(options: HttpServerOptions): Server {
  const limits = { ...LIMITS, ...options.limits };
  const upload = createUploadAnswer(options.app, limits.uploadsAtOnce);
  const context = { ...options, limits, upload };
  // Node's limit for a whole request would end an upload after five minutes: idleness ends it instead.
  const server = createServer(
    { requestTimeout: 0, headersTimeout: HEADERS_MS },
    (request, response) => void answer(context, request, response),
  );
  server.timeout = limits.idleMs;
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  // What is left of a body after the answer is not read, however slowly it is sent.
  if (hasBody(request)) response.setHeader('connection', 'close');
  try {
    await route(context, request, response);
  } catch (bug) {
    console.error(`bug while answering ${request.method} request:`, bug);
    if (response.headersSent) response.destroy();
    else answerText(response, 500, 'Something went wrong inside Stalltrace: the log says what.');
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function route(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { app, guard, rendererRoot, limits, upload } = context;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const foreign = guard.checkOrigin(request, !isRead);
  if (foreign !== undefined) return answerText(response, foreign.status, foreign.reason);
  const url = urlOf(request);
  if (url === null) return answerText(response, 400, 'This is no address of this server.');
  const isData = url.pathname.startsWith('/data/');
  const isArchive = url.pathname.startsWith('/archive/');
  if (isData || isArchive || url.pathname === '/upload') {
    const stranger = guard.checkCookie(request);
    if (stranger !== undefined) return answerText(response, stranger.status, stranger.reason);
  }
  const allow = methodsOf(url.pathname);
  if (!allow.includes(request.method ?? '')) {
    return answerText(response, 405, 'Not allowed', { allow: allow.join(', ') });
  }
  if (url.pathname === '/session') {
    return startSession(guard, request, response, limits.sessionBodyMs);
  }
  if (url.pathname === '/upload') return upload(request, response, url);
  if (isData) return sendTable(app, request, response, url);
  if (isArchive) return sendArchive(app, request, response, url);
  await sendFile(response, rendererRoot, url.pathname, request.method === 'HEAD');
}

function methodsOf(pathname: string): readonly string[] {
  if (pathname === '/session' || pathname === '/upload') return ['POST'];
  return pathname.startsWith('/data/') ? ['GET'] : ['GET', 'HEAD'];
}

/** A target of `//` would name a host, `*` and a proxy's absolute form are not for us. */
function urlOf({ url = '' }: IncomingMessage): URL | null {
  return /^\/(?!\/)/.test(url) ? URL.parse(url, 'http://127.0.0.1') : null;
}

async function sendFile(
  response: ServerResponse,
  root: string,
  pathname: string,
  headOnly: boolean,
): Promise<void> {
  const file = await openStaticFile(root, pathname === '/' ? '/index.html' : pathname);
  if (file === undefined) return answerText(response, 404, 'Not found');
  response.writeHead(200, {
    'content-type': file.mimeType,
    'content-length': file.byteLength,
    // Vite names assets by their hash; the page itself must be asked for each time.
    'cache-control': pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
  });
  if (headOnly) response.end();
  else pipeBody(response, file.body());
}
