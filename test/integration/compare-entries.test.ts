import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, openPage } from '../support/page/browser-page.ts';
import { traceProcesses } from '../support/page/trace-processes.ts';

/** Entries of the library compared by the app's host, of which one has lost its file. */
let folder: string;
let host: BrowserHost;
let page: BrowserPage;
const ids: number[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-entries-'));
  host = await startBrowserHost(['--root', folder]);
  page = await openPage(host);
  for (const release of ['0.8.1', '0.9.2', '0.10.0'] as const) {
    const path = join(folder, `${release}.db`);
    makeIngeroDatabase(path, release);
    const added = await page.call('library.add', { path, copy: false });
    if (!added.ok) throw new Error(added.error.message);
    ids.push(added.value.investigation.id);
  }
  rmSync(join(folder, '0.9.2.db'));
});

/** A profile of so many calls; of other bytes for each `nth`. */
function profile(nth: number, calls: number): string {
  const event = { ph: 'X', pid: 1, tid: 1, cat: 'cuda_runtime', name: 'cudaLaunchKernel' };
  const traceEvents = Array.from({ length: calls }, (_, at) => ({
    ...{ ...event, ts: 10 * at + nth, dur: 5 },
  }));
  return JSON.stringify({ schemaVersion: 1, deviceProperties: [], traceEvents });
}

test('two that are read at once are both given up by one cancel', async () => {
  const pair: number[] = [];
  for (const nth of [1, 2]) {
    const path = join(folder, `${nth}.json`);
    writeFileSync(path, profile(nth, 300_000));
    const added = await page.call('library.add', { path, copy: false });
    if (!added.ok) throw new Error(added.error.message);
    pair.push(added.value.investigation.id);
  }
  const [first = 0, second = 0] = pair;
  const socket = await page.openSocket();
  if (!(socket instanceof WebSocket)) throw new Error('the host closed the socket');
  const told: string[] = [];
  socket.on('message', (data) => told.push(String(data)));
  const args = { first, second };
  socket.send(JSON.stringify({ kind: 'call', id: 7, name: 'library.compare', args }));
  while (!told.some((frame) => frame.includes('Run 1 of 2'))) await once(socket, 'message');
  socket.send(JSON.stringify({ kind: 'cancel', id: 7 }));
  const result = () => told.find((frame) => frame.includes('"result"')) ?? '';
  await expect.poll(result).toContain('"cancelled"');
  await expect.poll(() => traceProcesses(host.process.pid)).toBe(0);
  socket.close();
});

afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('of two the one that is gone is told, not that the other was given up for it', async () => {
  const [first = 0, gone = 0] = ids;
  for (const pair of [
    { first, second: gone },
    { first: gone, second: first },
  ])
    expect(await page.call('library.compare', pair)).toMatchObject({
      ok: false,
      error: { code: 'file-missing', message: expect.stringContaining('0.9.2') },
    });
});

test('of many it is left out with a sentence, unless the others are compared with it', async () => {
  const [first = 0, gone = 0, last = 0] = ids;
  expect(await page.call('library.compareSeries', { ids: [first, gone, last] })).toMatchObject({
    ok: true,
    value: {
      leftOut: [expect.stringContaining('0.9.2')],
      series: { runs: [{ name: expect.stringContaining('0.8.1') }, {}] },
      markdown: expect.stringContaining('- Left out: '),
    },
  });
  expect(await page.call('library.compareSeries', { ids: [gone, first, last] })).toMatchObject({
    ok: false,
    error: { code: 'file-missing' },
  });
});
