import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientRequest, request, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../app/app.ts';
import { fetchTable } from '../app/table-server.ts';
import { fail, ok } from '../shared/result.ts';
import { createGuard } from './guard.ts';
import { createHttpServer, type HttpServerOptions } from './http-server.ts';

const IDLE_MS = 800;
/** Far less, for a machine that is busy with other things. */
const DRIP_MS = 100;
let folder: string;
let server: Server;
let uploads = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-http-'));
  uploads = 0;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(app: object, limits: HttpServerOptions['limits']): Promise<void> {
  const guard = { ...createGuard(), checkCookie: () => undefined };
  const handlers = {
    'library.list': async () => ok([]),
  };
  const addStream: App['addStream'] = async ({ body }) => {
    uploads++;
    try {
      for await (const _chunk of body);
      return fail('file-busy', 'Later.');
    } catch {
      return fail('cancelled', 'Cancelled.');
    }
  };
  const fake = { handlers, addStream, onEvent: () => undefined, ...app } as unknown as App;
  server = createHttpServer({
    app: fake,
    guard,
    rendererRoot: folder,
    limits: { idleMs: IDLE_MS, sessionBodyMs: IDLE_MS, ...limits },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function send(method: string, path: string, type = 'application/octet-stream'): ClientRequest {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const headers = { origin, ...(method === 'POST' && { 'content-type': type }) };
  return request(origin + path, { method, headers, agent: false });
}

/** The body of the answer, or the code of the error that came instead. */
function outcomeOf(outgoing: ClientRequest): Promise<string> {
  return new Promise((resolve) => {
    outgoing.on('response', (response) => resolve(text(response)));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function trickle(outgoing: ClientRequest, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    if (!outgoing.destroyed) outgoing.write(' ');
    await wait(DRIP_MS);
  }
}

test('an upload may last as long as bytes arrive', async () => {
  await listen({}, {});
  expect(server.requestTimeout).toBe(0);
  expect(server.headersTimeout).toBeGreaterThan(0);
  const upload = send('POST', '/upload?name=slow.db');
  const outcome = outcomeOf(upload);
  await trickle(upload, 12);
  upload.end();
  expect(await outcome).toContain('Later.');
});

test('an upload without a byte for a while is cut', async () => {
  await listen({}, {});
  const upload = send('POST', '/upload?name=stalled.db');
  upload.write('x');
  expect(await outcomeOf(upload)).toBe('ECONNRESET');
});

test('a body of /session is bounded in time, however steadily it drips', async () => {
  await listen({}, {});
  const session = send('POST', '/session', 'application/json');
  const outcome = outcomeOf(session);
  await trickle(session, 12);
  expect(await outcome).toBe('ECONNRESET');
});

test('a body nobody asked for does not hold its connection', async () => {
  await listen({}, {});
  const outgoing = send('GET', '/');
  outgoing.on('error', () => undefined);
  outgoing.setHeader('transfer-encoding', 'chunked');
  const closed = new Promise((resolve) => outgoing.on('close', resolve));
  await trickle(outgoing, 2);
  await closed;
});

test('more uploads at once than allowed are told to wait', async () => {
  await listen({}, { uploadsAtOnce: 1, idleMs: 5000 });
  const first = send('POST', '/upload?name=1.db');
  const outcome = outcomeOf(first);
  first.write('x');
  await expect.poll(() => uploads).toBe(1);
  const second = send('POST', '/upload?name=2.db');
  second.end('x');
  expect(await outcomeOf(second)).toContain('wait until one of them is done');
  first.end();
  expect(await outcome).toContain('Later.');
  const third = send('POST', '/upload?name=3.db');
  third.end('x');
  expect(await outcomeOf(third)).toContain('Later.');
});

test('a page that leaves before a trace has answered takes the connection to it along', async () => {
  const silent = createSocketServer().listen(
    process.platform === 'win32'
      ? `\\\\.\\pipe\\stalltrace-test-${process.pid}`
      : join(folder, 's'),
  );
  await once(silent, 'listening');
  const openTable = (_id: string, table: string, _columns: undefined, signal?: AbortSignal) =>
    fetchTable(silent.address() as string, table, undefined, signal);
  await listen({ openTable }, {});
  const fetching = send('GET', '/data/00000000-0000-0000-0000-000000000000/cuda_call');
  fetching.on('error', () => undefined).end();
  const [connection] = await once(silent, 'connection');
  connection.resume();
  const closed = once(connection, 'close');
  fetching.destroy();
  await closed;
  silent.close();
});
