import { WebSocket } from 'ws';
import type { CallArguments, CallName, CallValue } from '../../../src-main/contract/contract.ts';
import type { AddedInvestigation } from '../../../src-main/shared/library/investigation.ts';
import type { Result } from '../../../src-main/shared/rpc/result.ts';
import type { BrowserHost } from './browser-host.ts';

/** A socket that the host closed instead of welcoming it. */
export interface ClosedSocket {
  readonly code: number;
  readonly reason: string;
}

/** What a page of a browser host can do, without a browser. */
export interface BrowserPage {
  readonly origin: string;
  readonly secret: string;
  readonly headers: Readonly<Record<'origin' | 'authorization', string>>;
  /** The headers of one upload, or of one download. */
  ticket(action: string): Promise<Readonly<Record<'origin' | 'authorization', string>>>;
  upload(name: string, body: Uint8Array | string): Promise<Result<AddedInvestigation>>;
  call<N extends CallName>(name: N, args: CallArguments<N>): Promise<Result<CallValue<N>>>;
  /** Opens another WebSocket and shows the secret. */
  openSocket(): Promise<WebSocket | ClosedSocket>;
}

/** Takes a link of `host` as a browser would. */
export async function openPage(host: BrowserHost, link = host.link): Promise<BrowserPage> {
  const origin = `http://127.0.0.1:${host.port}`;
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const { secret = '' } = await post('/session', { token: tokenOf(link) });
  const headers = { origin, authorization: `Bearer ${secret}` };
  const ticket = async (action: string) => {
    const given = await post('/tickets', { action }, headers);
    return { origin, authorization: `Ticket ${given.ticket}` };
  };
  const openSocket = () => greetHost(origin, secret);
  return {
    origin,
    secret,
    headers,
    ticket,
    openSocket,
    async upload(name, body) {
      const response = await fetch(`${origin}/upload?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/octet-stream',
          ...(await ticket('POST /upload')),
        },
        body: body as BodyInit,
      });
      return (await response.json()) as Result<AddedInvestigation>;
    },
    async call(name, args) {
      const socket = await openSocket();
      if (!(socket instanceof WebSocket)) throw new Error(`closed: ${socket.code}`);
      const result = new Promise((resolve) =>
        socket.on('message', (data) => {
          const frame = JSON.parse(String(data));
          if (frame.kind === 'result') resolve(frame.result);
        }),
      );
      socket.send(JSON.stringify({ kind: 'call', id: 1, name, args }));
      const value = await result;
      socket.close();
      return value as never;
    },
  };
}

export const tokenOf = (link: string) => new URL(link).hash.slice('#token='.length);

/** The socket once it was welcomed, or how it was closed. */
export function greetHost(origin: string, secret: string): Promise<WebSocket | ClosedSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`, { headers: { origin } });
    socket.on('open', () => socket.send(JSON.stringify({ kind: 'hello', secret })));
    socket.once('message', () => resolve(socket));
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    socket.on('error', reject);
  });
}
