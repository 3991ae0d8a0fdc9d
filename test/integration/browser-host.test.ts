import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type BrowserHost, startBrowserHost } from '../support/browser-host.ts';

let host: BrowserHost;
let cookie: string;

const origin = () => `http://127.0.0.1:${host.port}`;

beforeAll(async () => {
  host = await startBrowserHost();
  cookie = await exchange(host.link);
});
afterAll(() => host.stop());

async function postToken(token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${origin()}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: origin(), ...headers },
    body: JSON.stringify({ token }),
  });
}

async function exchange(link: string): Promise<string> {
  const response = await postToken(new URL(link).hash.slice('#token='.length));
  expect(response.status).toBe(204);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** The status line's code for a request written byte by byte: fetch would mend Host and Origin. */
function rawStatus(lines: readonly string[], body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(host.port, '127.0.0.1', () =>
      socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`),
    );
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      if (status === undefined) return;
      socket.destroy();
      resolve(Number(status));
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(0));
  });
}

const UPGRADE = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
];

describe('who may talk to the loopback server', () => {
  const request = {
    GET: (headers: string[]) => rawStatus(['GET /data/x/y HTTP/1.1', ...headers]),
    POST: (headers: string[]) =>
      rawStatus(
        [
          'POST /upload?name=x HTTP/1.1',
          'Content-Type: application/octet-stream',
          'Content-Length: 1',
          ...headers,
        ],
        'x',
      ),
    WS: (headers: string[]) => rawStatus(['GET /rpc HTTP/1.1', ...UPGRADE, ...headers]),
  };
  const hostHeader = () => `Host: 127.0.0.1:${host.port}`;
  const originHeader = () => `Origin: ${origin()}`;
  const cookieHeader = () => `Cookie: ${cookie}`;

  test.each(['GET', 'POST', 'WS'] as const)(
    '%s: a foreign or missing host is refused',
    async (kind) => {
      const rest = [originHeader(), cookieHeader()];
      expect(await request[kind](['Host: evil.example', ...rest])).toBe(421);
      expect(await request[kind]([`Host: 127.0.0.1.evil.example:${host.port}`, ...rest])).toBe(421);
      expect(await request[kind](['Host: ', ...rest])).toBe(421);
      expect([400, 421]).toContain(await request[kind](rest));
    },
  );

  test.each(['GET', 'POST', 'WS'] as const)('%s: a foreign origin is refused', async (kind) => {
    for (const foreign of [
      'http://evil.example',
      `https://127.0.0.1:${host.port}`,
      'http://127.0.0.1:1',
      'null',
    ]) {
      expect(await request[kind]([hostHeader(), `Origin: ${foreign}`, cookieHeader()])).toBe(403);
    }
  });

  test.each(['POST', 'WS'] as const)('%s: a missing origin is refused', async (kind) => {
    expect(await request[kind]([hostHeader(), cookieHeader()])).toBe(403);
  });

  test.each(['GET', 'POST', 'WS'] as const)(
    '%s: a missing or wrong cookie is refused',
    async (kind) => {
      const [name] = cookie.split('=');
      expect(await request[kind]([hostHeader(), originHeader()])).toBe(403);
      expect(await request[kind]([hostHeader(), originHeader(), `Cookie: ${name}=wrong`])).toBe(
        403,
      );
      expect(await request[kind]([hostHeader(), originHeader(), `Cookie: ${name}=`])).toBe(403);
    },
  );

  test('all three right are let in', async () => {
    const headers = [hostHeader(), originHeader(), cookieHeader()];
    expect(await request.WS(headers)).toBe(101);
    // Let in, and then there is no such table.
    expect(await request.GET(headers)).toBe(404);
    expect(
      await rawStatus([
        'GET /rpc HTTP/1.1',
        ...UPGRADE,
        `Host: localhost:${host.port}`,
        `Origin: http://localhost:${host.port}`,
        cookieHeader(),
      ]),
    ).toBe(101);
    expect(await rawStatus(['GET /elsewhere HTTP/1.1', ...UPGRADE, ...headers])).toBe(403);
  });

  test('it listens on the loopback address only', async () => {
    const addresses = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of addresses) {
      const reached = await new Promise((resolve) => {
        const socket = connect(host.port, address, () => resolve(true));
        socket.on('error', () => resolve(false));
      });
      expect(reached, address).toBe(false);
    }
  });
});

describe('launch tokens', () => {
  test('work once', async () => {
    const token = new URL(await host.nextLink()).hash.slice('#token='.length);
    expect(token.length).toBeGreaterThanOrEqual(22);
    expect((await postToken(token)).status).toBe(204);
    expect((await postToken(token)).status).toBe(403);
  });

  test('are taken as JSON from the own origin only', async () => {
    const token = new URL(await host.nextLink()).hash.slice('#token='.length);
    expect((await postToken(token, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await postToken(token, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await postToken('x'.repeat(100_000))).status).toBe(403);
    expect((await postToken(token)).status).toBe(204);
  });

  test('the cookie is out of reach of scripts and other sites', async () => {
    const token = new URL(await host.nextLink()).hash.slice('#token='.length);
    const header = (await postToken(token)).headers.get('set-cookie') ?? '';
    expect(header).toMatch(/^stalltrace-[0-9a-f]{12}=\S{40,}; HttpOnly; SameSite=Strict; Path=\/$/);
  });
});

describe('what it serves', () => {
  test.each([
    '/../package.json',
    '/%2e%2e/package.json',
    '/..%2fpackage.json',
    '/assets/..%5c..%5cx',
    '/%00',
    '/%ff',
    '/main/cli.js',
  ])('not %s', async (path) =>
    expect(await rawStatus([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${host.port}`])).toBe(404),
  );

  test('the page, under a policy that lets nothing foreign in', async () => {
    const response = await fetch(origin());
    expect(await response.text()).toContain('<title>Stalltrace');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the socket', () => {
  test('is closed on a frame beyond its size, and the host lives on', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}/rpc`, {
      headers: { cookie, origin: origin() },
    });
    await new Promise((resolve) => socket.on('open', resolve));
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    socket.send('x'.repeat(2 << 20));
    expect(await closed).toBe(1009);
    expect((await fetch(origin())).status).toBe(200);
  });

  test('does not keep the host from ending when it is told to', async () => {
    const own = await startBrowserHost();
    const ownOrigin = `http://127.0.0.1:${own.port}`;
    const answer = await fetch(`${ownOrigin}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ownOrigin },
      body: JSON.stringify({ token: new URL(own.link).hash.slice('#token='.length) }),
    });
    const ownCookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const socket = new WebSocket(`ws://127.0.0.1:${own.port}/rpc`, {
      headers: { cookie: ownCookie, origin: ownOrigin },
    });
    await new Promise((resolve) => socket.on('open', resolve));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await own.stop();
    await closed;
    expect(own.process.exitCode).toBe(0);
  });

  test('limits the paths a page may open', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}/rpc`, {
      headers: { cookie, origin: origin() },
    });
    await new Promise((resolve) => socket.on('open', resolve));
    const answer = new Promise((resolve) =>
      socket.on('message', (data) => resolve(JSON.parse(String(data)))),
    );
    socket.send(
      JSON.stringify({ kind: 'call', id: 1, name: 'library.add', args: { path: '/etc/passwd' } }),
    );
    expect(await answer).toMatchObject({ result: { error: { code: 'path-not-allowed' } } });
    socket.close();
  });
});
