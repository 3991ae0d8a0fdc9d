import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../app/app.ts';
import { REASON_HEADER, SECRET_SCHEME, TICKET_SCHEME } from '../shared/browser-session.ts';
import { perfettoPath } from '../shared/rpc/perfetto-path.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { createGuard, type Guard } from './guard.ts';
import { createHttpServer } from './http-server.ts';

const traceId = '00000000-0000-0000-0000-000000000007';
const unknownId = '00000000-0000-0000-0000-000000000008';
const hidden = perfettoPath({ traceId, hidePrivate: true });
const shown = perfettoPath({ traceId, hidePrivate: false });

let server: Server;
let guard: Guard;
let opened: (readonly [traceId: string, hidePrivate: boolean])[];
let stream: Readable;

beforeEach(async () => {
  guard = createGuard();
  opened = [];
  stream = Readable.from([Buffer.from('the timeline')]);
  const openPerfetto: App['openPerfetto'] = async (id, { hidePrivate }) => {
    if (id !== traceId) return fail('not-open', 'It is no longer open.');
    opened.push([id, hidePrivate]);
    return ok(stream);
  };
  ({ server } = createHttpServer({
    app: { openPerfetto } as unknown as App,
    guard,
    rendererRoot: '/nowhere',
  }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const secret = () => ({
  authorization: `${SECRET_SCHEME} ${guard.exchange(guard.issueToken())}`,
});
const ticketFor = (path: string) => ({
  authorization: `${TICKET_SCHEME} ${guard.issueTicket(`GET ${path}`)}`,
});
const get = (path: string, init?: RequestInit) => fetch(origin() + path, init);

/** A ticket as the page gets it: only for what is served. */
async function askTicket(path: string) {
  const answer = await get('/tickets', {
    method: 'POST',
    headers: { ...secret(), origin: origin(), 'content-type': 'application/json' },
    body: JSON.stringify({ action: `GET ${path}` }),
  });
  return answer.ok ? ((await answer.json()) as { ticket: string }).ticket : answer.status;
}

test('a timeline is downloaded under the name that the page gives it, by an address that is good once', async () => {
  const address = `${shown}?ticket=${await askTicket(shown)}`;
  const answer = await get(address);
  expect([answer.status, await answer.text()]).toEqual([200, 'the timeline']);
  expect(answer.headers.get('content-disposition')).toBe('attachment');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect((await get(address)).status).toBe(403);
  expect(opened).toEqual([[traceId, false]]);
});

test('nobody without a ticket for just this gets it, and no other site', async () => {
  const site = { origin: 'http://evil.example' };
  const refused = [
    get(hidden),
    get(hidden, { headers: secret() }),
    get(`${hidden}?ticket=x`),
    // Who may have it without private words may not have them.
    get(shown, { headers: ticketFor(hidden) }),
    get(hidden, { headers: ticketFor(perfettoPath({ traceId: unknownId, hidePrivate: true })) }),
    get(hidden, { headers: { ...ticketFor(hidden), ...site } }),
    get(hidden, { headers: { ...ticketFor(hidden), 'sec-fetch-site': 'cross-site' } }),
    get(hidden, { method: 'HEAD' }),
    get(hidden, { method: 'HEAD', headers: { ...secret(), ...site } }),
    get(hidden, { method: 'POST', headers: { ...ticketFor(hidden), origin: origin() } }),
  ];
  const statuses = await Promise.all(refused.map(async (each) => (await each).status));
  expect(statuses).toEqual(refused.map(() => 403));
  expect(opened).toEqual([]);
});

test('HEAD says whether there will be one, and ends what it began', async () => {
  const answer = await get(hidden, { method: 'HEAD', headers: secret() });
  expect(answer.status).toBe(200);
  await expect.poll(() => stream.destroyed).toBe(true);
  expect(opened).toEqual([[traceId, true]]);
});

test('a trace that is not open is told with its sentence', async () => {
  const path = perfettoPath({ traceId: unknownId, hidePrivate: true });
  const answer = await get(path, { headers: ticketFor(path) });
  expect([answer.status, await answer.text()]).toEqual([404, 'It is no longer open.']);
  const { headers } = await get(path, { method: 'HEAD', headers: secret() });
  expect(decodeURIComponent(headers.get(REASON_HEADER) ?? '')).toBe('It is no longer open.');
});

test.each(['', `/${traceId}`, `/${traceId}/`, `/${traceId}/all`, '/x/hidden', `${hidden}/x`])(
  '/perfetto%s is none, and there are no tickets for it',
  async (path) => {
    const wrong = `/perfetto/${path.replace(/^\//, '')}`;
    expect((await get(wrong, { headers: ticketFor(wrong) })).status).toBe(404);
    expect(await askTicket(wrong)).toBe(400);
  },
);

test('what fails half-way fails the download', async () => {
  stream = Readable.from(
    (async function* () {
      yield Buffer.from('half');
      throw new Error('its process was killed');
    })(),
  );
  const answer = await get(hidden, { headers: ticketFor(hidden) });
  await expect(answer.text()).rejects.toThrow();
});
