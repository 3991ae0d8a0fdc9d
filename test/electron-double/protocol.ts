import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { isReady, requireReady } from './strict.ts';

/**
 * Custom schemes over loopback HTTP: Playwright can't serve a scheme Chromium doesn't know.
 * `app://stalltrace/x` is `http://stalltrace.app.localhost:PORT/x`, which Chromium resolves by itself.
 */

type Handler = (request: Request) => Response | Promise<Response>;
interface Scheme {
  readonly scheme: string;
  readonly privileges?: Readonly<Record<string, boolean>>;
}

const privileged = new Map<string, Readonly<Record<string, boolean>>>();
const handlers = new Map<string, Handler>();
let port = 0;

export const protocolDouble = {
  registerSchemesAsPrivileged(schemes: readonly Scheme[]): void {
    if (isReady()) throw new Error('electron double: registerSchemesAsPrivileged after ready');
    for (const { scheme, privileges } of schemes) privileged.set(scheme, privileges ?? {});
  },
  handle(scheme: string, handler: Handler): void {
    requireReady('protocol.handle');
    const privileges = privileged.get(scheme);
    // Without these a page of the scheme has no origin, no storage and no fetch in Electron.
    if (!privileges?.standard || !privileges.secure || !privileges.supportFetchAPI) {
      throw new Error(`electron double: ${scheme}: is not registered as a privileged scheme`);
    }
    handlers.set(scheme, handler);
  },
};

export function privilegedSchemes(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(privileged);
}

/** The address Chromium loads for `url`; others than custom schemes' stay as they are. */
export function toHttp(url: string): string {
  const match = /^([a-z]+):\/\/([^/?#]+)(.*)$/.exec(url);
  const [, scheme = '', host = '', rest = ''] = match ?? [];
  return handlers.has(scheme) ? `http://${host}.${scheme}.localhost:${port}${rest}` : url;
}

/** The address main would see for what Chromium loaded from `url`. */
export function fromHttp(url: string): string {
  const match = /^http:\/\/([^./]+)\.([a-z]+)\.localhost:(\d+)(.*)$/.exec(url);
  const [, host = '', scheme = '', urlPort, rest = ''] = match ?? [];
  return match !== null && Number(urlPort) === port ? `${scheme}://${host}${rest}` : url;
}

export async function serveSchemes(): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error('electron double: the protocol handler failed:', error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  return server;
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const [, host = '', scheme = ''] = /^([^.]+)\.([a-z]+)\./.exec(incoming.headers.host ?? '') ?? [];
  const handler = handlers.get(scheme);
  if (handler === undefined) {
    outgoing.writeHead(404).end();
    return;
  }
  const request = new Request(`${scheme}://${host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
  });
  const response = await handler(request);
  if (!(response instanceof Response)) throw new TypeError('the handler returned no Response');
  // The page left while it was asked: as in Electron the body is let go, whose source would break off unheard.
  if (outgoing.destroyed) return response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // A body that breaks off, as a table's does when the app quits, ends its request and nothing else.
  pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing, () => outgoing.destroy());
}
