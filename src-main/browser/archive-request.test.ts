import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import type { App } from '../app/app.ts';
import { REASON_HEADER } from '../shared/browser-session.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { sendArchive } from './archive-request.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(openArchive: App['openArchive']): Promise<string> {
  const app = { openArchive } as unknown as App;
  server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://127.0.0.1');
    void sendArchive(app, incoming, response, url);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function archiveOf(stream: Readable, fileName = 'run 7.stalltrace') {
  return ok({ stream, fileName, tracePath: '/a.db' });
}

test('sends the bytes under a name that no header can be made of', async () => {
  const name = 'löß "x"\r\nset-cookie: a=b 鐘.stalltrace';
  const origin = await serve(async (id) => archiveOf(Readable.from([`archive ${id}`]), name));
  const answer = await fetch(`${origin}/archive/7`);
  expect(await answer.text()).toBe('archive 7');
  const disposition = answer.headers.get('content-disposition') ?? '';
  expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\w%.~-]+$/);
  expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(name);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('HEAD says whether it can be made, and ends what it began', async () => {
  const stream = Readable.from(['archive']);
  const origin = await serve(async () => archiveOf(stream));
  const answer = await fetch(`${origin}/archive/7`, { method: 'HEAD' });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
  await expect.poll(() => stream.destroyed).toBe(true);
});

/** Names of files are in it, so anything may be. */
const WHY = 'Locate “löß\r\n鐘”.';

test.each([
  ['not-found', 404],
  ['path-not-allowed', 403],
  ['file-busy', 409],
  ['disk-full', 500],
] as const)('%s is told with its sentence', async (code, status) => {
  const origin = await serve(async () => fail(code, WHY));
  const answer = await fetch(`${origin}/archive/7`);
  expect([answer.status, await answer.text()]).toEqual([status, WHY]);
  // Without a body, the page learns it from the header.
  const { headers } = await fetch(`${origin}/archive/7`, { method: 'HEAD' });
  expect(decodeURIComponent(headers.get(REASON_HEADER) ?? '')).toBe(WHY);
});

test.each(['0', '-1', '1.5', 'x', '7/8', '1e3', '9'.repeat(40)])(
  '/archive/%s is none',
  async (id) => {
    const origin = await serve(() => Promise.reject(new Error('asked for it')));
    expect((await fetch(`${origin}/archive/${id}`)).status).toBe(404);
  },
);

test('a reader that is slow holds the work back, one that leaves ends it', async () => {
  let made = 0;
  let signal = new AbortController().signal;
  const chunk = Buffer.alloc(1 << 20);
  const stream = Readable.from(
    (function* () {
      for (; made < 10_000; made++) yield chunk;
    })(),
  );
  const origin = await serve(async (_id, closed) => {
    signal = closed;
    return archiveOf(stream);
  });
  const outgoing = request(`${origin}/archive/7`).end();
  const [response] = await once(outgoing, 'response');
  await once(response, 'readable');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(made).toBeLessThan(200);
  response.destroy();
  await expect.poll(() => stream.destroyed && signal.aborted).toBe(true);
  expect(made).toBeLessThan(200);
});

test('what fails half-way fails the download', async () => {
  const failing = Readable.from(
    (async function* () {
      yield 'half';
      throw new Error('the disk is gone');
    })(),
  );
  const origin = await serve(async () => archiveOf(failing));
  const outgoing = request(`${origin}/archive/7`).end();
  const [response] = await once(outgoing, 'response');
  await expect(text(response)).rejects.toThrow();
});
