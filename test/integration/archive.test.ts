import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readArchive } from '../../src-main/archive/read-archive.ts';
import type {
  AddedInvestigation,
  Investigation,
} from '../../src-main/shared/library/investigation.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { type BrowserPage, openPage } from '../support/page/browser-page.ts';
import { simulatedTrace } from '../support/simulated-trace.ts';

/** A .stalltrace file from one page to another, through the browser host. */

const bytes = readFileSync(simulatedTrace);
const NOTE = {
  id: '6f1f2f0e-7d0c-4a6b-9f43-0d2b8f6f3a51',
  kind: 'note',
  text: 'Two workers fight over CPU three here.',
  startNs: 1_000_000,
  endNs: 2_000_000,
} as const;

let folder: string;
let host: BrowserHost;
let page: BrowserPage;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-archive-'));
  host = await startBrowserHost();
  page = await openPage(host);
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function successOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const origin = () => `http://127.0.0.1:${host.port}`;

/** As the page does: a download has a ticket of its own, all else the secret. */
async function get(path: string, init: RequestInit = {}): Promise<Response> {
  const { authorization } =
    init.method === undefined ? await page.ticket(`GET ${path}`) : page.headers;
  return fetch(origin() + path, { ...init, headers: { authorization, ...init.headers } });
}

/** Uploads a trace of the page's own and keeps a note, a tag, a verdict and a view of it. */
async function keepTrace(): Promise<Investigation> {
  const added = successOf(
    await page.upload('run 7.db', Buffer.concat([bytes, Buffer.alloc(4096)])),
  );
  const { id } = added.investigation;
  const verdict = { kind: 'input-bound', text: 'Too few CPUs' } as const;
  const changes = { id, name: 'Löwe “7”', tags: ['rtx-4090'], verdict };
  successOf(await page.call('library.change', changes));
  successOf(await page.call('notes.put', { investigation: id, note: NOTE }));
  successOf(await page.call('library.saveView', { id, view: { tab: 'flame' } }));
  return added.investigation;
}

test('a download holds all of an investigation, and a page elsewhere restores it', async () => {
  const { id } = await keepTrace();
  const head = await get(`/archive/${id}`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const answer = await get(`/archive/${id}`);
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="L_we 7.stalltrace"; filename*=UTF-8''L%C3%B6we%207.stalltrace`,
  );
  const archive = Buffer.from(await answer.arrayBuffer());
  await host.stop();
  host = await startBrowserHost();
  page = await openPage(host);
  const { investigation, ...added } = successOf(await page.upload('mail.bin', archive));
  expect(added).toEqual({ wasKnown: false, notesAdded: 1, bookmarksAdded: 0 });
  expect(investigation).toMatchObject({
    name: 'Löwe “7”',
    tags: ['rtx-4090'],
    verdict: { kind: 'input-bound', text: 'Too few CPUs' },
    storage: 'copied',
    notes: 1,
  });
  const opened = successOf(await page.call('trace.open', { id: investigation.id }));
  expect(opened).toMatchObject({ view: { tab: 'flame' } });
  const notes = successOf(await page.call('notes.list', { investigation: investigation.id }));
  expect(notes).toEqual([expect.objectContaining(NOTE)]);
  // The archive was a wrapping: only the trace in it is kept.
  const files = readdirSync(join(host.dataFolder, 'files'), { recursive: true });
  expect(files.filter((name) => /\./.test(String(name)))).toEqual([
    expect.stringMatching(/run 7\.db$/),
  ]);
});

test('nobody without a ticket for it, and no other site, gets one', async () => {
  const { id } = await keepTrace();
  const path = `/archive/${id}`;
  const foreign = { headers: { origin: 'http://evil.example' } };
  expect((await fetch(origin() + path)).status).toBe(403);
  expect((await fetch(origin() + path, { headers: page.headers })).status).toBe(403);
  expect((await get(path, foreign)).status).toBe(403);
  expect((await get(path, { method: 'POST', headers: page.headers })).status).toBe(403);
  expect((await get('/archive/999')).status).toBe(404);
  expect((await fetch(`${origin()}/archive/../data/x`, { headers: page.headers })).status).toBe(
    404,
  );
});

test('a ticket in the address is good once, for one download', async () => {
  const { id } = await keepTrace();
  const ticketOf = async (path: string) =>
    (await page.ticket(`GET ${path}`)).authorization.slice('Ticket '.length);
  const other = await ticketOf('/archive/999');
  expect((await fetch(`${origin()}/archive/${id}?ticket=${other}`)).status).toBe(403);
  const address = `${origin()}/archive/${id}?ticket=${await ticketOf(`/archive/${id}`)}`;
  expect((await fetch(address)).status).toBe(200);
  expect((await fetch(address)).status).toBe(403);
});

test('a download that is cut ends its work, and the host lives on', async () => {
  const { id } = await keepTrace();
  const outgoing = request(`${origin()}/archive/${id}`, {
    headers: await page.ticket(`GET /archive/${id}`),
  });
  outgoing.on('error', () => undefined);
  outgoing.on('response', (response) => response.once('data', () => outgoing.destroy()));
  outgoing.end();
  await new Promise((resolve) => outgoing.once('close', resolve));
  const whole = Buffer.from(await (await get(`/archive/${id}`)).arrayBuffer());
  const path = join(folder, 'a.stalltrace');
  writeFileSync(path, whole);
  const context = { signal: new AbortController().signal, progress: () => undefined };
  expect((await readArchive(path, folder, context)).ok).toBe(true);
  expect(host.log()).toBe('');
});

test('a hostile or damaged upload adds nothing and leaves nothing', async () => {
  const { id } = await keepTrace();
  const whole = Buffer.from(await (await get(`/archive/${id}`)).arrayBuffer());
  const renamed = Buffer.from(
    whole.toString('latin1').replaceAll('trace/run', '../../run'),
    'latin1',
  );
  const files = () =>
    readdirSync(host.dataFolder, { recursive: true }).filter(
      (name) => !/library\.db/.test(String(name)),
    );
  const before = files();
  const failures: Record<string, Buffer> = {
    'archive-incomplete': whole.subarray(0, -100),
    'archive-unsafe': renamed,
  };
  for (const [code, archive] of Object.entries(failures)) {
    const added = (await page.upload('x.stalltrace', archive)) as Result<AddedInvestigation>;
    expect(added).toMatchObject({ error: { code } });
  }
  expect(files()).toEqual(before);
  expect(existsSync(join(host.dataFolder, '..', 'run 7.db'))).toBe(false);
});
