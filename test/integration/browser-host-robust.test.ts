import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, openPage } from '../support/page/browser-page.ts';

let host: BrowserHost;
let page: BrowserPage;

beforeAll(async () => {
  host = await startBrowserHost();
  page = await openPage(host);
});
afterAll(() => host.stop());

/** Sends `lines` and goes at once, with a reset. */
function sendAndReset(lines: readonly string[], afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(host.port, '127.0.0.1', () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      setTimeout(() => {
        socket.resetAndDestroy();
        resolve();
      }, afterMs);
    });
    socket.on('error', () => undefined);
  });
}

/** Everything answered to `lines` until the host closes the connection. */
function answerTo(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port: host.port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.write(`${lines.join('\r\n')}\r\n\r\n`),
    );
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

const upgradeOf = (hostName: string) => [
  'GET /rpc HTTP/1.1',
  `Host: ${hostName}`,
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
];

describe('a stranger on this machine', () => {
  test('cannot end the host by a refused upgrade that is reset', async () => {
    for (let round = 0; round < 40; round++) {
      await sendAndReset(upgradeOf('evil.example'), round % 5);
    }
    expect((await fetch(page.origin)).status).toBe(200);
    expect(host.process.exitCode).toBeNull();
  });

  test('loses the connection of a refused upgrade at once', async () => {
    expect(await answerTo(upgradeOf('evil.example'))).toMatch(/^HTTP\/1\.1 421 /);
  });

  test.each(['//', '//evil.example/x', 'http://[', '*', '/\\'])(
    'gets an answer to the address %s, and nothing is logged',
    async (target) => {
      const method = target === '*' ? 'OPTIONS' : 'GET';
      const origin = `Origin: http://127.0.0.1:${host.port}`;
      const answer = await answerTo([
        `${method} ${target} HTTP/1.1`,
        `Host: 127.0.0.1:${host.port}`,
        origin,
        'Connection: close',
      ]);
      expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(host.log()).not.toContain('bug');
    },
  );

  test('who leaves in the middle of a body is no bug', async () => {
    const lines = [
      'POST /session HTTP/1.1',
      `Host: 127.0.0.1:${host.port}`,
      `Origin: http://127.0.0.1:${host.port}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ];
    for (const afterMs of [0, 5, 20]) await sendAndReset(lines, afterMs);
    expect((await fetch(page.origin)).status).toBe(200);
    expect(host.log()).not.toContain('bug');
  });
});

describe('what exists', () => {
  test.each([
    ['PUT', '/', 405, 'GET, HEAD'],
    ['GET', '/session', 405, 'POST'],
    ['GET', '/tickets', 405, 'POST'],
    ['GET', '/upload', 403, null],
    ['GET', '/archive/1', 403, null],
    ['PUT', '/archive/1', 403, null],
    ['POST', '/data/x/y', 405, 'GET'],
    ['HEAD', '/data/x/y', 405, 'GET'],
    ['POST', '/upload', 403, null],
    ['POST', '/session', 415, null],
    ['POST', '/tickets', 415, null],
    ['GET', '/data/00000000-0000-0000-0000-000000000000/tiles', 404, null],
    ['GET', '/data/x/../../etc', 404, null],
  ])('%s %s is answered %i', async (method, path, status, allow) => {
    const response = await fetch(page.origin + path, { method, headers: page.headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('HEAD tells of a file without sending it', async () => {
    const [head, whole] = await Promise.all([
      fetch(page.origin, { method: 'HEAD' }),
      fetch(page.origin),
    ]);
    expect(head.status).toBe(200);
    const length = Number(head.headers.get('content-length'));
    expect(length).toBe((await whole.arrayBuffer()).byteLength);
    expect(await head.text()).toBe('');
  });
});

test('the seventeenth socket is refused with a sentence, and taken once another has gone', async () => {
  const sockets = await Promise.all(Array.from({ length: 16 }, () => page.openSocket()));
  const open = sockets.filter((socket) => socket instanceof WebSocket);
  expect(open.length).toBe(16);
  expect(await page.openSocket()).toEqual({
    code: 4503,
    reason: expect.stringContaining('close one'),
  });
  open[0]?.terminate();
  await expect.poll(async () => (await page.openSocket()) instanceof WebSocket).toBe(true);
  for (const socket of open) socket.terminate();
});

test('a crowd of idle connections and dripping heads leaves room for the page', async () => {
  const idle = Array.from({ length: 1300 }, (_each, index) => {
    const socket = connect(host.port, '127.0.0.1');
    socket.on('error', () => undefined);
    if (index % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: 127');
    return socket;
  });
  await Promise.all(
    idle.map((socket) => new Promise((done) => socket.on('connect', done).on('close', done))),
  );
  expect((await fetch(page.origin)).status).toBe(200);
  const opened = await openPage(host, await host.nextLink());
  expect(await opened.call('library.list', {})).toMatchObject({ ok: true });
  for (const socket of idle) socket.destroy();
});
