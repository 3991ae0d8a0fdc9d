import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from '../app/app.ts';
import { openStaticFile } from '../hosts/static-files.ts';
import { SECURITY_HEADERS } from '../shared/content-security.ts';
import { createServer } from '../system/node-http.ts';
import { answerText, pipeBody } from './answers.ts';
import { sendArchive } from './archive-request.ts';
import { Connections } from './connections.ts';
import { sendTiles } from './data-request.ts';
import { checkSource, type Guard, ownAddress, type Refusal } from './guard.ts';
import { sendPerfetto } from './perfetto-request.ts';
import { giveTicket, startSession } from './session-request.ts';
import type { Pace } from './upload-pace.ts';
import { createUploadAnswer, type UploadAnswer } from './upload-request.ts';

interface HttpLimits {
  /** A connection that moves no byte for so long is cut, unless the host or the page works on it. */
  readonly idleMs: number;
  /**
   * The same while tiles are sent to the page. A slow reader's bytes move long before the kernel
   * says that there is room for more.
   */
  readonly unreadMs: number;
  /** The same for one that has not shown the secret; also for the whole head of a request. */
  readonly unprovedIdleMs: number;
  /** How many of those there are: as many as come while a far page's first frame is on its way. */
  readonly unproved: number;
  /** For the whole body of `POST /session` and `POST /tickets`. */
  readonly sessionBodyMs: number;
  readonly uploadsAtOnce: number;
  readonly uploadPace: Pace;
}

const LIMITS: HttpLimits = {
  idleMs: 60_000,
  unreadMs: 10 * 60_000,
  unprovedIdleMs: 10_000,
  unproved: 1024,
  sessionBodyMs: 5_000,
  uploadsAtOnce: 4,
  uploadPace: { bytes: 64 * 1024, windowMs: 60_000 },
};
/** How often Node looks for heads that take too long. */
const CHECK_MS = 1_000;

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
  readonly connections: Connections;
}

export interface HttpServer {
  readonly server: Server;
  readonly connections: Connections;
}

/** The loopback server without its WebSocket: page, session, bulk data, upload. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const limits = { ...LIMITS, ...options.limits };
  const upload = createUploadAnswer(options.app, limits.uploadsAtOnce, limits.uploadPace);
  // Node's limit for a whole request would end an upload after five minutes: idleness ends it instead.
  const server = createServer(
    {
      requestTimeout: 0,
      headersTimeout: limits.unprovedIdleMs,
      connectionsCheckingInterval: CHECK_MS,
    },
    (request, response) => void answer(context, request, response),
  );
  server.timeout = limits.unprovedIdleMs;
  server.on('timeout', cutIdle);
  const connections = new Connections(server, limits.unproved);
  const context = { ...options, limits, upload, connections };
  return { server, connections };
}

/** After a stall of this process timers run first: what came meanwhile is read before anyone is cut. */
function cutIdle(socket: Socket): void {
  const moved = () => socket.bytesRead + socket.bytesWritten;
  const before = moved();
  setImmediate(() => {
    if (moved() === before) socket.destroy();
  });
}

async function answer(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!context.connections.answer(request.socket, response)) return;
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

type Answer = (
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
) => Promise<void> | void;

/** What a request has to show, and who answers it. */
interface Door {
  readonly methods: readonly string[];
  readonly shows: 'nothing' | 'token' | 'secret' | 'ticket';
  readonly type?: string;
  readonly answer: Answer;
}

const JSON_TYPE = 'application/json';
const PAGE: Door = {
  methods: ['GET', 'HEAD'],
  shows: 'nothing',
  answer({ rendererRoot }, request, response, url) {
    // The page has no service worker: whoever asks for one was put there by another server of this port.
    if (request.headers['service-worker'] !== undefined) {
      return answerText(response, 404, 'There is no service worker here.');
    }
    return sendFile(response, rendererRoot, url.pathname, request.method === 'HEAD');
  },
};
const SESSION: Door = {
  methods: ['POST'],
  shows: 'token',
  type: JSON_TYPE,
  async answer({ guard, connections, limits }, request, response) {
    const taken = await startSession(guard, request, response, limits.sessionBodyMs);
    if (taken) connections.prove(request.socket);
  },
};
const TICKETS: Door = {
  methods: ['POST'],
  shows: 'secret',
  type: JSON_TYPE,
  answer: ({ guard, limits }, request, response) =>
    giveTicket(guard, request, response, limits.sessionBodyMs),
};
const UPLOAD: Door = {
  methods: ['POST'],
  shows: 'ticket',
  type: 'application/octet-stream',
  answer: ({ upload }, request, response, url) => upload(request, response, url),
};
const DATA: Door = {
  methods: ['GET'],
  shows: 'secret',
  answer: ({ app, limits }, request, response, url) =>
    sendTiles(app, request, response, url, limits.unreadMs),
};
/** A download can't carry a header; asking whether there will be one can. */
function downloads(send: typeof sendArchive): (method: string | undefined) => Door {
  const given: Door = {
    methods: ['GET', 'HEAD'],
    shows: 'ticket',
    answer: ({ app }, request, response, url) => send(app, request, response, url),
  };
  const asked: Door = { ...given, shows: 'secret' };
  return (method) => (method === 'HEAD' ? asked : given);
}
const archiveDoor = downloads(sendArchive);
const perfettoDoor = downloads(sendPerfetto);

function doorTo({ pathname }: URL, method: string | undefined): Door {
  if (pathname === '/session') return SESSION;
  if (pathname === '/tickets') return TICKETS;
  if (pathname === '/upload') return UPLOAD;
  if (pathname.startsWith('/data/')) return DATA;
  if (pathname.startsWith('/archive/')) return archiveDoor(method);
  if (pathname.startsWith('/perfetto/')) return perfettoDoor(method);
  return PAGE;
}

async function route(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = urlOf(request);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const door = url === null ? PAGE : doorTo(url, request.method);
  if (door === PAGE && isRead && url?.pathname === '/') {
    const location = ownAddress(request.headers.host);
    if (location !== undefined) {
      return answerText(response, 307, 'The address of this page is http://127.0.0.1.', {
        location,
      });
    }
  }
  const refusal =
    checkSource(request, { needsOrigin: !isRead, isPage: door === PAGE }) ??
    (url === null ? undefined : checkProof(context, request, door, url));
  if (refusal !== undefined) return answerText(response, refusal.status, refusal.reason);
  if (url === null) return answerText(response, 400, 'This is not an address of this server.');
  if (!door.methods.includes(request.method ?? '')) {
    return answerText(response, 405, 'Not allowed', { allow: door.methods.join(', ') });
  }
  if (door.type !== undefined && request.headers['content-type'] !== door.type) {
    return answerText(response, 415, `What is sent has to be ${door.type}.`);
  }
  await door.answer(context, request, response, url);
}

/** Refuses who can't show what the door asks for; else the connection counts as the page's own. */
function checkProof(
  { guard, connections, limits }: Context,
  request: IncomingMessage,
  { shows }: Door,
  url: URL,
): Refusal | undefined {
  if (shows === 'nothing' || shows === 'token') return undefined;
  const refusal = shows === 'secret' ? guard.checkSecret(request) : guard.checkTicket(request, url);
  if (refusal !== undefined) return refusal;
  connections.prove(request.socket);
  request.socket.setTimeout(limits.idleMs);
  return undefined;
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
