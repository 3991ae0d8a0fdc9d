import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { launchWholeChromium } from '../support/page/chromium.ts';
import { describeWith } from '../support/requirements.ts';

/** A server of another user of this machine: it answers with a page, and keeps what it was sent. */
interface Neighbour {
  readonly origin: string;
  readonly asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  readonly server: Server;
}

async function startNeighbour(port = 0, files: Record<string, string> = {}): Promise<Neighbour> {
  const asked: Neighbour['asked'] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ url, headers });
    const type = url.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'content-type': type });
    response.end(files[url] ?? '<title>Neighbour</title>');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

function stop({ server }: Neighbour): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

/** What a page on another port gets of the host at `origin`, by all that a page can try. */
function tryEverything(origin: string): Promise<string[]> {
  const told: string[] = [];
  const tryFetch = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { credentials: 'include', ...init })
      .then((answer) => answer.text())
      .then((text) => told.push(`${path}: ${text}`))
      .catch(() => undefined);
  const headers = { authorization: `Bearer ${'A'.repeat(43)}`, 'content-type': 'application/json' };
  const trySocket = (first: string | undefined) =>
    new Promise<void>((done) => {
      const socket = new WebSocket(`${origin.replace('http', 'ws')}/rpc`);
      socket.onopen = () => {
        if (first !== undefined) socket.send(first);
      };
      socket.onmessage = ({ data }) => told.push(`socket: ${data}`);
      socket.onclose = () => done();
    });
  const tryElement = (tag: 'script' | 'img' | 'iframe', path: string) =>
    new Promise<void>((done) => {
      const element = document.createElement(tag);
      element.src = origin + path;
      const settle = (event: Event | string) => {
        const frame = element as HTMLIFrameElement;
        try {
          const text = frame.contentDocument?.body.textContent ?? '';
          if (tag === 'iframe' && text !== '') told.push(`frame: ${text}`);
          else if (tag !== 'iframe' && typeof event === 'object' && event.type === 'load')
            told.push(`${tag} of ${path}`);
        } catch {
          // Another origin: it can't be looked into.
        }
        done();
      };
      element.onload = settle;
      element.onerror = settle;
      document.body.append(element);
    });
  const channel = new BroadcastChannel('stalltrace');
  channel.onmessage = ({ data }) => told.push(`channel: ${JSON.stringify(data)}`);
  channel.postMessage({ kind: 'ask' });
  const data = '/data/00000000-0000-4000-8000-000000000000/tiles';
  return Promise.all([
    tryFetch('/'),
    tryFetch(data),
    tryFetch(data, { headers }),
    tryFetch(data, { mode: 'no-cors' }),
    tryFetch('/archive/1', { mode: 'no-cors' }),
    tryFetch('/session', { method: 'POST', body: '{"token":"x"}', mode: 'no-cors' }),
    tryFetch('/tickets', { method: 'POST', body: '{"action":"POST /upload"}', headers }),
    tryFetch('/upload?name=x', { method: 'POST', body: 'x', mode: 'no-cors' }),
    trySocket(undefined),
    trySocket('{"kind":"hello","secret":""}'),
    trySocket('{"kind":"call","id":1,"name":"library.list","args":{}}'),
    tryElement('script', '/archive/1'),
    tryElement('img', data),
    tryElement('iframe', '/'),
  ]).then(() => told.filter((line) => !line.endsWith(': ')));
}

describeWith(['wholeChromium'], 'the secret of a page', () => {
  let host: BrowserHost;
  let neighbour: Neighbour;
  let context: BrowserContext;
  let page: Page;
  const origin = () => `http://127.0.0.1:${host.port}`;
  const secretOf = (of: Page) => of.evaluate(() => sessionStorage.getItem('stalltrace.secret'));
  const library = (of: Page) => of.getByRole('row', { name: /Sample/ }).waitFor();
  const needsLink = (of: Page) => of.getByText('This page needs the link').waitFor();

  beforeAll(async () => {
    [host, neighbour] = await Promise.all([startBrowserHost(), startNeighbour()]);
    const browser = await launchWholeChromium();
    context = await browser.newContext();
    page = await context.newPage();
    await page.goto(host.link);
    await library(page);
  });
  afterAll(async () => {
    await context.browser()?.close();
    await host.stop();
    await stop(neighbour);
  });

  test('is nowhere but in its storage: no cookie, no address', async () => {
    expect(await secretOf(page)).toMatch(/^[\w-]{43}$/);
    expect(await context.cookies()).toEqual([]);
    expect(page.url()).not.toContain('token');
    // What was there before the page, and nothing with the link's token.
    expect(await page.evaluate('history.length')).toBe(2);
  });

  test('is not given to a server on another port, which reads nothing of ours', async () => {
    const secret = String(await secretOf(page));
    const other = await context.newPage();
    await other.goto(neighbour.origin);
    expect(await other.evaluate(tryEverything, origin())).toEqual([]);
    expect(await secretOf(other)).toBeNull();
    // The page's own tab goes there and comes back.
    await page.goto(`${neighbour.origin}/elsewhere`);
    expect(await secretOf(page)).toBeNull();
    await page.goBack();
    await library(page);
    for (const { url, headers } of neighbour.asked) {
      const sent = url + JSON.stringify(headers);
      expect(sent).not.toContain(secret);
      expect(sent).not.toContain('token');
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('authorization');
    }
    expect(neighbour.asked.length).toBeGreaterThan(1);
    await other.close();
  });

  test('outlives a reload, and is lent to a second tab', async () => {
    await page.reload();
    await library(page);
    const second = await context.newPage();
    await second.goto(origin());
    await library(second);
    await page.close();
    await second.reload();
    await library(second);
    page = second;
  });

  test('a tab alone asks for a link, and takes one', async () => {
    const stranger = await context.browser()?.newPage();
    if (stranger === undefined) throw new Error('no browser');
    await stranger.goto(origin());
    await needsLink(stranger);
    await stranger.goto(await host.nextLink());
    await library(stranger);
    await stranger.close();
  });

  test('lets a page in whose browser forbids storage and channels', async () => {
    const closed = await context.browser()?.newContext();
    if (closed === undefined) throw new Error('no browser');
    await closed.addInitScript(() => {
      const forbidden = {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      };
      for (const name of ['sessionStorage', 'localStorage', 'BroadcastChannel'])
        Object.defineProperty(window, name, forbidden);
      Object.defineProperty(navigator, 'serviceWorker', forbidden);
    });
    const visitor = await closed.newPage();
    const broken: string[] = [];
    visitor.on('pageerror', (error) => broken.push(error.message));
    await visitor.goto(await host.nextLink());
    await library(visitor);
    await visitor.keyboard.press('Control+k');
    // The library has one, too, once it has an entry with a verdict.
    await visitor.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').waitFor();
    await visitor.goto('about:blank');
    expect(broken).toEqual([]);
    await closed.close();
  });

  test('an archive is downloaded by an address that is good once', async () => {
    await page.getByRole('row', { name: /Sample/ }).click({ button: 'right' });
    const started = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /Save as/ }).click();
    const download = await started;
    expect(await download.failure()).toBeNull();
    expect(download.suggestedFilename()).toMatch(/^Sample.*\.stalltrace$/);
    const again = await page.evaluate(
      (address) => fetch(address).then(({ status }) => status),
      download.url(),
    );
    expect(again).toBe(403);
  });

  test('of an earlier start is refused with the next step, and a new tab helps the old one', async () => {
    const { port } = host;
    const old = await secretOf(page);
    await host.stop();
    // Whoever takes the port in between is sent a secret that died with its start, and no call.
    const imposter = new WebSocketServer({ port, host: '127.0.0.1' });
    const heard: string[] = [];
    imposter.on('connection', (socket) => socket.on('message', (data) => heard.push(String(data))));
    const reconnect = page.getByRole('button', { name: 'Reconnect' });
    await reconnect.waitFor();
    // Where it tries by itself just now, the button can't be pressed; what it sends is the same.
    await reconnect.click({ timeout: 2_000 }).catch(() => undefined);
    await expect.poll(() => heard).toEqual([JSON.stringify({ kind: 'hello', secret: old })]);
    for (const socket of imposter.clients) socket.terminate();
    await new Promise((closed) => imposter.close(closed));
    host = await startBrowserHost(['--port', String(port)]);
    const banner = page.getByText('Stalltrace was started again and no longer knows this page');
    await banner.waitFor();
    expect(await secretOf(page)).toBeNull();
    const reloaded = await context.newPage();
    await reloaded.goto(origin());
    await needsLink(reloaded);
    await reloaded.goto(host.link);
    await library(reloaded);
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await banner.waitFor({ state: 'detached' });
    expect(await secretOf(page)).toBe(await secretOf(reloaded));
    expect(await secretOf(page)).not.toBe(old);
    await reloaded.close();
  });

  test('service workers that an earlier server of the port left are taken away', async () => {
    const { port } = host;
    await host.stop();
    const earlier = await startNeighbour(port, {
      '/worker.js': `oninstall = () => skipWaiting();
        onactivate = (event) => event.waitUntil(clients.claim());
        onfetch = (event) => event.respondWith(fetch(event.request));`,
    });
    const visitor = await context.newPage();
    await visitor.goto(origin());
    await visitor.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js');
      await navigator.serviceWorker.ready;
    });
    await stop(earlier);
    await visitor.goto('about:blank');
    host = await startBrowserHost(['--port', String(port)]);
    await visitor.goto(host.link);
    await library(visitor);
    const left = await visitor.evaluate(async () => ({
      count: (await navigator.serviceWorker.getRegistrations()).length,
      controlled: navigator.serviceWorker.controller !== null,
    }));
    expect(left).toEqual({ count: 0, controlled: false });
    expect(visitor.url()).not.toContain('token');
  });
});
