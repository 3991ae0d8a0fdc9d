import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import type { CallArguments, CallName, CallValue } from '../../src-main/shared/contract.ts';
import type { AddedInvestigation } from '../../src-main/shared/investigation.ts';
import type { Result } from '../../src-main/shared/result.ts';
import type { BrowserHost } from './browser-host.ts';

/** What a page of a browser host can do, without a browser. */
export interface BrowserPage {
  readonly origin: string;
  readonly headers: Readonly<Record<'origin' | 'cookie', string>>;
  upload(name: string, body: Uint8Array | string): Promise<Result<AddedInvestigation>>;
  call<N extends CallName>(name: N, args: CallArguments<N>): Promise<Result<CallValue<N>>>;
  /** Opens another WebSocket; the status and the body where it is refused. */
  openSocket(): Promise<WebSocket | { status: number; body: string }>;
}

/** Takes a link of `host` as a browser would. */
export async function openPage(host: BrowserHost, link = host.link): Promise<BrowserPage> {
  const origin = `http://127.0.0.1:${host.port}`;
  const answer = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token: new URL(link).hash.slice('#token='.length) }),
  });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const headers = { origin, cookie };
  const openSocket = () =>
    new Promise<WebSocket | { status: number; body: string }>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${host.port}/rpc`, { headers });
      socket.on('open', () => resolve(socket));
      socket.on('error', reject);
      socket.on('unexpected-response', (_request, response) => {
        const status = response.statusCode ?? 0;
        text(response).then((body) => resolve({ status, body }), reject);
      });
    });
  return {
    origin,
    headers,
    openSocket,
    async upload(name, body) {
      const response = await fetch(`${origin}/upload?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...headers },
        body: body as BodyInit,
      });
      return (await response.json()) as Result<AddedInvestigation>;
    },
    async call(name, args) {
      const socket = await openSocket();
      if (!(socket instanceof WebSocket)) throw new Error(`refused: ${socket.status}`);
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
