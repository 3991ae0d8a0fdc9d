import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { App } from '../app/app.ts';
import { createRouter } from '../rpc/router.ts';
import { calls } from '../shared/contract.ts';
import type { ReplyFrame } from '../shared/rpc.ts';
import type { Guard } from './guard.ts';

const MAX_FRAME_BYTES = 1 << 20;
const PING_MS = 20_000;
/** More pages than anyone has open. */
const MAX_SOCKETS = 16;

/**
 * Serves the contract at `/rpc` of `server` to whoever the guard lets in. Returns what ends all
 * connections: a server that closes waits for upgraded sockets for ever.
 */
export function attachRpcSocket(server: Server, app: App, guard: Guard): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  const router = createRouter(calls, app.handlers, (call, bug) =>
    console.error(`bug in ${call}:`, bug),
  );
  app.onEvent((name, payload) => {
    for (const socket of sockets.clients) send(socket, { kind: 'event', name, payload });
  });
  server.on('upgrade', (request, stream, head) => {
    // Node takes its own listener off an upgraded socket: a reset would end the process.
    stream.on('error', () => stream.destroy());
    const refusal =
      guard.checkOrigin(request, true) ??
      guard.checkCookie(request) ??
      checkPath(request) ??
      checkCount(sockets.clients.size);
    if (refusal !== undefined) return rejectUpgrade(stream, refusal);
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const session = router.connect((frame) => send(socket, frame));
      socket.on('message', (data, isBinary) => {
        if (!isBinary) session.receive(parseFrame(String(data)));
      });
      socket.on('error', () => socket.terminate());
      socket.on('close', () => session.close());
      keepAlive(socket);
    });
  });
  return () => {
    for (const socket of sockets.clients) socket.terminate();
  };
}

function checkPath(request: IncomingMessage) {
  return request.url === '/rpc' ? undefined : ({ status: 403, reason: 'no such socket' } as const);
}

function checkCount(count: number) {
  if (count < MAX_SOCKETS) return undefined;
  const reason = `${MAX_SOCKETS} pages are connected already: close one of them.`;
  return { status: 503, reason } as const;
}

/** Closed for good once it is written: the peer may never close its half. */
function rejectUpgrade(
  stream: Duplex,
  { status, reason }: { readonly status: number; readonly reason: string },
): void {
  const headers = `connection: close\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(reason)}`;
  stream.end(`HTTP/1.1 ${status} Refused\r\n${headers}\r\n\r\n${reason}`, () => stream.destroy());
}

function send(socket: WebSocket, frame: ReplyFrame): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}

function parseFrame(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A laptop that was closed leaves a half-open socket: what it ran is stopped once it misses a ping. */
function keepAlive(socket: WebSocket): void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) {
      socket.terminate();
      return;
    }
    answered = false;
    socket.ping();
  }, PING_MS);
  timer.unref();
  socket.on('close', () => clearInterval(timer));
}
