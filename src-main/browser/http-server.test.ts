import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type ClientRequest, request, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../app/app.ts';
import { fetchTiles } from '../app/trace-process/bulk-server.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { pipeBody } from './answers.ts';
import { createGuard, type Guard } from './guard.ts';
import { createHttpServer, type HttpServerOptions } from './http-server.ts';

/** For the tests that wait until somebody is cut; no other has a limit that it could reach. */
const IDLE_MS = 800;
const IDLE = { idleMs: IDLE_MS, unprovedIdleMs: IDLE_MS, sessionBodyMs: IDLE_MS };
const PATIENT = { idleMs: 60_000, unprovedIdleMs: 60_000, sessionBodyMs: 60_000 };
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

async function listen(
  app: object,
  limits: HttpServerOptions['limits'],
  shown: Partial<Guard> = { checkSecret: () => undefined, checkTicket: () => undefined },
): Promise<void> {
  const guard = { ...createGuard(), ...shown };
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
  writeFileSync(join(folder, 'index.html'), 'the page');
  ({ server } = createHttpServer({
    app: fake,
    guard,
    rendererRoot: folder,
    limits: { ...PATIENT, ...limits },
  }));
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

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function trickle(outgoing: ClientRequest, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    if (!outgoing.destroyed) outgoing.write(' ');
    await wait(DRIP_MS);
  }
}

test('an upload may last as long as bytes arrive', async () => {
  await listen({}, IDLE);
  expect(server.requestTimeout).toBe(0);
  expect(server.headersTimeout).toBeGreaterThan(0);
  const upload = send('POST', '/upload?name=slow.db');
  const outcome = outcomeOf(upload);
  await trickle(upload, 12);
  upload.end();
  expect(await outcome).toContain('Later.');
});

test('nobody is cut for a while in which this process stood still', async () => {
  await listen({}, IDLE);
  const upload = send('POST', '/upload?name=1.db');
  const outcome = outcomeOf(upload);
  upload.write('x');
  await expect.poll(() => uploads).toBe(1);
  // The next that runs are timers, as after a stall.
  await new Promise(setImmediate);
  standStill(IDLE_MS + 100);
  upload.end('x');
  expect(await outcome).toContain('Later.');
});

test('an upload without a byte for a while is cut', async () => {
  await listen({}, IDLE);
  const upload = send('POST', '/upload?name=stalled.db');
  upload.write('x');
  expect(await outcomeOf(upload)).toBe('ECONNRESET');
});

test('a body of /session is bounded in time, however steadily it drips', async () => {
  await listen({}, IDLE);
  const session = send('POST', '/session', 'application/json');
  const outcome = outcomeOf(session);
  await trickle(session, 12);
  expect(await outcome).toBe('ECONNRESET');
});

test('a body nobody asked for does not hold its connection', async () => {
  await listen({}, IDLE);
  const outgoing = send('GET', '/');
  outgoing.on('error', () => undefined);
  outgoing.setHeader('transfer-encoding', 'chunked');
  const closed = new Promise((resolve) => outgoing.on('close', resolve));
  await trickle(outgoing, 2);
  await closed;
});

test('more uploads at once than allowed are told to wait', async () => {
  await listen({}, { uploadsAtOnce: 1 });
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
  const openTiles: App['openTiles'] = (_id, query, signal) =>
    fetchTiles(silent.address() as string, query, signal);
  await listen({ openTiles }, {});
  const fetching = send('GET', '/data/00000000-0000-0000-0000-000000000000/tiles');
  fetching.on('error', () => undefined).end();
  const [connection] = await once(silent, 'connection');
  connection.resume();
  const closed = once(connection, 'close');
  fetching.destroy();
  await closed;
  silent.close();
});

const portOf = () => (server.address() as AddressInfo).port;

/** A connection of anyone, which sends `text` and reads nothing unless told to. */
async function stranger(text = ''): Promise<Socket> {
  const socket = connect(portOf(), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

const strangers = (count: number) => Promise.all(Array.from({ length: count }, () => stranger()));
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.resume().on('close', () => resolve()));

test('a crowd of idle connections does not shut the page out', async () => {
  await listen({}, { unproved: 8 });
  const crowd = await strangers(60);
  const gone = Promise.all(crowd.slice(0, 50).map(closed));
  expect(await outcomeOf(send('GET', '/').end())).toBe('the page');
  await gone;
  for (const socket of crowd) socket.destroy();
});

test('whoever asks for something is not dropped for those that are silent', async () => {
  await listen({}, { unproved: 4 });
  const dripping = send('POST', '/session', 'application/json');
  const outcome = outcomeOf(dripping);
  dripping.write('{"token":');
  // What is sent is read in the order of connections.
  await outcomeOf(send('GET', '/').end());
  const crowd = await strangers(20);
  dripping.end('"x"}');
  expect(await outcome).toContain('used before');
  for (const socket of crowd) socket.destroy();
});

test('a connection that showed the secret stays, however many come after it', async () => {
  const openTiles = async () => fail('not-open', 'This trace is not open.');
  await listen({ openTiles }, { unproved: 4 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const path = '/data/00000000-0000-0000-0000-000000000000/tiles';
  const ask = () =>
    new Promise<boolean>((resolve) => {
      const outgoing = request({ port: portOf(), path, agent }, (response) =>
        response.resume().on('end', () => resolve(outgoing.reusedSocket)),
      );
      outgoing.end();
    });
  expect(await ask()).toBe(false);
  const crowd = await strangers(20);
  expect(await ask()).toBe(true);
  agent.destroy();
  for (const socket of crowd) socket.destroy();
});

test('a head that drips is cut', async () => {
  await listen({}, { unprovedIdleMs: 500 });
  const socket = await stranger('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  const drip = setInterval(() => socket.write('X-A: b\r\n'), DRIP_MS);
  await closed(socket);
  clearInterval(drip);
});

test('an upload that drips loses its place', async () => {
  const uploadPace = { bytes: 1000, windowMs: 300 };
  await listen({}, { uploadsAtOnce: 1, uploadPace });
  const dripping = send('POST', '/upload?name=1.db');
  const outcome = outcomeOf(dripping);
  const drip = setInterval(() => dripping.write('x'), DRIP_MS);
  expect(await outcome).toBe('ECONNRESET');
  clearInterval(drip);
  const next = send('POST', '/upload?name=2.db');
  next.end('x');
  expect(await outcomeOf(next)).toContain('Later.');
});

test('an upload that the host is slow to take keeps its place', async () => {
  const uploadPace = { bytes: 1000, windowMs: 250 };
  const addStream: App['addStream'] = async ({ body }) => {
    // Two of its windows.
    await wait(550);
    for await (const _chunk of body);
    return fail('file-busy', 'Later.');
  };
  await listen({ addStream }, { uploadPace });
  const upload = send('POST', '/upload?name=1.db');
  upload.end(Buffer.alloc(4 << 20));
  expect(await outcomeOf(upload)).toContain('Later.');
});

test('an upload keeps its place where this process stood still', async () => {
  const upload = {} as { request: ClientRequest };
  const addStream: App['addStream'] = async ({ body }) => {
    upload.request.end(Buffer.alloc(2000));
    // What was sent lies in the kernel when the window ends, as nothing is read meanwhile.
    standStill(400);
    for await (const _chunk of body);
    return fail('file-busy', 'Later.');
  };
  await listen({ addStream }, { uploadPace: { bytes: 1000, windowMs: 300 } });
  upload.request = send('POST', '/upload?name=1.db');
  upload.request.flushHeaders();
  expect(await outcomeOf(upload.request)).toContain('Later.');
});

/** Begins an upload that is refused at once, and returns it when its sender has read why. */
async function refusedUpload(sizeBytes: number): Promise<Socket> {
  const host = `127.0.0.1:${portOf()}`;
  const head = [
    'POST /upload?name=1.db HTTP/1.1',
    `Host: ${host}`,
    `Origin: http://${host}`,
    'Content-Type: application/octet-stream',
    `Content-Length: ${sizeBytes}`,
  ];
  const socket = await stranger(`${head.join('\r\n')}\r\n\r\n`);
  let answer = '';
  while (!answer.includes('Free some.')) answer += String((await once(socket, 'data'))[0]);
  return socket;
}
const refusing = { addStream: async () => fail('disk-full', 'Free some.') };

test('an upload that is refused before all of it is here may send the rest', async () => {
  await listen(refusing, {});
  // More than the kernel takes in before anyone reads.
  const rest = Buffer.alloc(32 << 20);
  const socket = await refusedUpload(rest.length);
  socket.resume();
  socket.end(rest);
  await once(socket, 'end');
  expect(socket.writableFinished).toBe(true);
});

test('the rest of a refused upload is not waited for where it drips', async () => {
  await listen(refusing, { uploadPace: { bytes: 1000, windowMs: 300 } });
  const socket = await refusedUpload(1 << 20);
  const drip = setInterval(() => socket.write('x'), DRIP_MS);
  await closed(socket);
  clearInterval(drip);
});

test('requests are not taken by the thousand before one is answered', async () => {
  let asked = 0;
  const openTiles = async () => {
    asked++;
    return fail('not-open', 'This trace is not open.');
  };
  await listen({ openTiles }, {});
  const path = '/data/00000000-0000-0000-0000-000000000000/tiles';
  const one = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  await closed(await stranger(one.repeat(1000)));
  expect(asked).toBeLessThan(20);
  expect(await outcomeOf(send('GET', '/').end())).toBe('the page');
});

test('a file that is gone before it is sent to someone who left ends nothing', async () => {
  await listen({}, {});
  rmSync(folder, { recursive: true });
  const response = { destroyed: true } as ServerResponse;
  const body = createReadStream(join(folder, 'index.html'));
  response.destroy = () => response;
  pipeBody(response, body);
  await new Promise<void>((resolve) => body.on('close', () => resolve()));
});

test('tiles that nobody reads are let go', async () => {
  const stream = new Readable({
    read() {
      this.push(Buffer.alloc(1 << 20));
    },
  });
  const openTiles = async () => ok({ stream, byteLength: 2 ** 40 });
  await listen({ openTiles }, { unreadMs: IDLE_MS });
  const path = '/data/00000000-0000-0000-0000-000000000000/tiles';
  const socket = await stranger(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  socket.pause();
  await expect.poll(() => stream.destroyed).toBe(true);
  socket.destroy();
});

test('tiles that are read slowly arrive whole', async () => {
  const byteLength = 32 << 20;
  const openTiles = async () =>
    ok({ stream: Readable.from([Buffer.alloc(byteLength)]), byteLength });
  await listen({ openTiles }, { idleMs: 50 });
  const outgoing = send('GET', '/data/00000000-0000-0000-0000-000000000000/tiles').end();
  const [response] = await once(outgoing, 'response');
  // Several times the idle limit of other connections, in which the kernel takes nothing more.
  await wait(300);
  let received = 0;
  for await (const chunk of response) received += (chunk as Buffer).length;
  expect(received).toBe(byteLength);
});

test('a page by another local name is led to the one it has', async () => {
  await listen({}, {});
  for (const name of ['localhost:81', '[::1]:81']) {
    const answer = await fetchAs(name, '/');
    expect([answer.status, answer.location]).toEqual([307, 'http://127.0.0.1:81/']);
    expect((await fetchAs(name, '/index.html')).status).toBe(421);
  }
});

function fetchAs(host: string, path: string): Promise<{ status?: number; location?: string }> {
  return new Promise((resolve) => {
    request({ port: portOf(), path, headers: { host }, agent: false }, (response) => {
      response.resume();
      const { statusCode: status = 0, headers } = response;
      resolve({ status, ...(headers.location !== undefined && { location: headers.location }) });
    }).end();
  });
}
