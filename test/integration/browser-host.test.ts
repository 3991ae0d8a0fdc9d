import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createRandom } from '../simulation/random.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, greetHost, openPage, tokenOf } from '../support/page/browser-page.ts';
import {
  attackAll,
  attemptsNearRight,
  randomAttempts,
  type Target,
} from '../support/page/request-attack.ts';

let host: BrowserHost;
let page: BrowserPage;
let target: Target;

const origin = () => `http://127.0.0.1:${host.port}`;

beforeAll(async () => {
  const [earlier, other] = await Promise.all([startBrowserHost(), startBrowserHost()]);
  const [earlierPage, otherPage] = await Promise.all([openPage(earlier), openPage(other)]);
  await Promise.all([earlier.stop(), other.stop()]);
  host = await startBrowserHost();
  page = await openPage(host);
  target = { host, page, otherSecret: otherPage.secret, earlierSecret: earlierPage.secret };
});
afterAll(() => host.stop());

async function postToken(token: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${origin()}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: origin(), ...headers },
    body: JSON.stringify({ token }),
  });
}

async function openSocket(): Promise<WebSocket> {
  const socket = await page.openSocket();
  if (!(socket instanceof WebSocket)) throw new Error(`closed: ${socket.code}`);
  return socket;
}

/** The status line's code for a request written byte by byte: fetch would mend Host and Origin. */
function rawStatus(lines: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(host.port, '127.0.0.1', () =>
      socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`),
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

describe('who may talk to the loopback server', () => {
  test('a request is answered only where its host, origin, site and proof are all right', async () => {
    const near = await attackAll(target, attemptsNearRight());
    const any = await attackAll(target, randomAttempts(400, createRandom(12)));
    expect([...near.broken, ...any.broken].slice(0, 20)).toEqual([]);
    expect(near.tried).toBeGreaterThan(300);
    expect(host.log()).toBe('');
  });

  test('it listens on the loopback address only', async () => {
    const addresses = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    // Linux has a whole network of these, so there is one to try where no other network is.
    if (process.platform === 'linux') addresses.push('127.0.0.2');
    expect(addresses).not.toEqual([]);
    for (const address of addresses) {
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
    const token = tokenOf(await host.nextLink());
    expect(token.length).toBeGreaterThanOrEqual(22);
    const answer = await postToken(token);
    expect(await answer.json()).toEqual({ secret: page.secret });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await postToken(token)).status).toBe(403);
  });

  test('are taken as JSON from the own origin only', async () => {
    const token = tokenOf(await host.nextLink());
    expect((await postToken(token, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await postToken(token, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await postToken('x'.repeat(100_000))).status).toBe(403);
    expect((await postToken(token)).status).toBe(200);
  });

  test('lead to a secret of this start only', () => {
    const { otherSecret, earlierSecret } = target;
    expect(page.secret).toMatch(/^[\w-]{43}$/);
    expect(new Set([page.secret, otherSecret, earlierSecret]).size).toBe(3);
  });
});

describe('the first frame of a socket', () => {
  const hello = (secret: string) => JSON.stringify({ kind: 'hello', secret });
  const call = JSON.stringify({ kind: 'call', id: 1, name: 'library.list', args: {} });
  /** How a socket that sent `frames` at once was closed, and all that it was sent. */
  function closeOf(...frames: readonly (string | Buffer)[]) {
    return new Promise<{ code: number; heard: string[] }>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${host.port}/rpc`, {
        headers: { origin: origin() },
      });
      const heard: string[] = [];
      socket.on('open', () => {
        for (const frame of frames) socket.send(frame);
      });
      socket.on('message', (data) => heard.push(String(data)));
      socket.on('error', reject);
      socket.on('close', (code) => resolve({ code, heard }));
    });
  }

  test.each<[string, () => readonly (string | Buffer)[]]>([
    ['a wrong secret', () => [hello('A'.repeat(43))]],
    ['none', () => [hello('')]],
    ['one of an earlier start', () => [hello(target.earlierSecret)]],
    ['one of another start', () => [hello(target.otherSecret)]],
    ['a call', () => [call]],
    ['a call before the secret', () => [call, hello(page.secret)]],
    ['a wrong secret before the right one', () => [hello('x'), hello(page.secret), call]],
    ['bytes', () => [Buffer.from(hello(page.secret))]],
    [
      'more than the secret',
      () => [JSON.stringify({ kind: 'hello', secret: page.secret, more: 1 })],
    ],
    ['a list', () => [JSON.stringify([{ kind: 'hello', secret: page.secret }])]],
    ['no JSON', () => ['{"kind":"hello"']],
    ['another kind', () => [JSON.stringify({ kind: 'welcome', secret: page.secret })]],
    ['a list as secret', () => [JSON.stringify({ kind: 'hello', secret: [page.secret] })]],
  ])('%s: it is told nothing and closed', async (_name, frames) => {
    expect(await closeOf(...frames())).toEqual({ code: 4403, heard: [] });
  });

  test('that never comes, or is far too long, ends the socket without a word', async () => {
    expect(await closeOf()).toEqual({ code: 1006, heard: [] });
    const long = closeOf('x'.repeat(900_000));
    const { heard } = await long.catch(() => ({ heard: [] }));
    expect(heard).toEqual([]);
  });

  test('a hundred sockets that say nothing leave room for the page', async () => {
    const silent = Array.from(
      { length: 100 },
      () => new WebSocket(`ws://127.0.0.1:${host.port}/rpc`, { headers: { origin: origin() } }),
    );
    for (const socket of silent) socket.on('error', () => undefined);
    await Promise.all(silent.map((socket) => new Promise((done) => socket.on('open', done))));
    expect(await greetHost(origin(), page.secret)).toBeInstanceOf(WebSocket);
    for (const socket of silent) socket.terminate();
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
    const socket = await openSocket();
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    socket.send('x'.repeat(2 << 20));
    expect(await closed).toBe(1009);
    expect((await fetch(origin())).status).toBe(200);
  });

  test('does not keep the host from ending when it is told to', async () => {
    const own = await startBrowserHost();
    const socket = await (await openPage(own)).openSocket();
    if (!(socket instanceof WebSocket)) throw new Error('refused');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await own.stop();
    await closed;
    expect(own.process.exitCode).toBe(0);
  });

  test('limits the paths a page may open', async () => {
    expect(await page.call('library.add', { path: '/etc/passwd' })).toMatchObject({
      error: { code: 'path-not-allowed' },
    });
  });
});
