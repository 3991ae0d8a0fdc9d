import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { App } from '../app/app.ts';
import { calls } from '../contract/contract.ts';
import { createRouter } from '../rpc/router.ts';
import {
  CLOSED_FULL,
  CLOSED_UNKNOWN,
  type HelloFrame,
  UNKNOWN_PAGE,
  type WelcomeFrame,
} from '../shared/browser-session.ts';
import type { ReplyFrame } from '../shared/rpc/rpc.ts';
import { parseJson } from '../shared/text/parse-json.ts';
import { awaitHello } from './await-hello.ts';
import { checkSource, type Guard } from './guard.ts';
import type { HttpServer } from './http-server.ts';

const MAX_FRAME_BYTES = 1 << 20;
const PING_MS = 20_000;
/** More pages than anyone has open. */
const MAX_SOCKETS = 16;
/** A page that doesn't read what it asked for is let go before it fills the memory. */
const MAX_WAITING_BYTES = 64 << 20;
const WELCOME: WelcomeFrame = { kind: 'welcome' };
const helloFrame: z.ZodType<HelloFrame> = z.strictObject({
  kind: z.literal('hello'),
  secret: z.string().max(200),
});

/**
 * Serves the contract at `/rpc` of `server` to whoever shows the secret in the first frame. Returns
 * what ends all connections: a server that closes waits for upgraded sockets for ever.
 */
export function attachRpcSocket(
  { server, connections }: HttpServer,
  app: App,
  guard: Guard,
): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    // There are none; else the first one asked for is sent back.
    handleProtocols: () => false,
  });
  const pages = new Set<WebSocket>();
  const router = createRouter(calls, app.handlers, (call, bug) =>
    console.error(`bug in ${call}:`, bug),
  );
  app.onEvent((name, payload) => {
    for (const socket of pages) send(socket, { kind: 'event', name, payload });
  });

  function serve(socket: WebSocket): void {
    pages.add(socket);
    const session = router.connect((frame) => send(socket, frame));
    socket.on('message', (data, isBinary) => {
      if (!isBinary) session.receive(parseJson(String(data)));
    });
    socket.on('close', () => {
      pages.delete(socket);
      session.close();
    });
    keepAlive(socket);
    send(socket, WELCOME);
  }

  function greet(socket: WebSocket, request: IncomingMessage): void {
    socket.on('error', () => socket.terminate());
    awaitHello(socket, request.socket, (first) => {
      const hello = helloFrame.safeParse(parseJson(first));
      if (!hello.success || !guard.knowsSecret(hello.data.secret)) {
        socket.close(CLOSED_UNKNOWN, UNKNOWN_PAGE);
        return false;
      }
      if (pages.size >= MAX_SOCKETS) {
        socket.close(CLOSED_FULL, `${MAX_SOCKETS} pages are connected already: close one of them.`);
        return false;
      }
      connections.prove(request.socket);
      serve(socket);
      return true;
    });
  }

  server.on('upgrade', (request, stream, head) => {
    // Node takes its own listener off an upgraded socket: a reset would end the process.
    stream.on('error', () => stream.destroy());
    const refusal =
      checkSource(request, { needsOrigin: true, isPage: false }) ?? checkPath(request);
    if (refusal !== undefined) return rejectUpgrade(stream, refusal);
    sockets.handleUpgrade(request, stream, head, (socket) => greet(socket, request));
  });
  return () => {
    for (const socket of sockets.clients) socket.terminate();
  };
}

function checkPath(request: IncomingMessage) {
  return request.url === '/rpc' ? undefined : ({ status: 403, reason: 'no such socket' } as const);
}

/** Closed for good once it is written: the peer may never close its half. */
function rejectUpgrade(
  stream: Duplex,
  { status, reason }: { readonly status: number; readonly reason: string },
): void {
  const headers = `connection: close\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(reason)}`;
  stream.end(`HTTP/1.1 ${status} Refused\r\n${headers}\r\n\r\n${reason}`, () => stream.destroy());
}

function send(socket: WebSocket, frame: ReplyFrame | WelcomeFrame): void {
  if (socket.bufferedAmount > MAX_WAITING_BYTES) socket.terminate();
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
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
