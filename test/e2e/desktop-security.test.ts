import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callThroughBridge } from '../electron-double/bridge.ts';
import { type DesktopUnderTest, launchDesktop } from '../electron-double/launch.ts';
import { describeWith } from '../support/requirements.ts';

let desktop: DesktopUnderTest;
let foreign: Server;
let foreignUrl: string;

beforeAll(async () => {
  foreign = createServer((_request, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' });
    response.end('<title>foreign</title>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`;
  desktop = await launchDesktop();
});

afterAll(async () => {
  expect(await desktop.quit()).toBe(0);
  foreign.close();
});

/** A request as no browser would normalise it. */
function rawGet(path: string, host = 'stalltrace.app.localhost', method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const headers = { host: `${host}:${desktop.httpPort}` };
    request({ port: desktop.httpPort, path, method, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    })
      .on('error', reject)
      .end();
  });
}

/** Whether `expression`, a promise in the page, was fulfilled. */
function succeeds(expression: string): Promise<boolean> {
  return desktop.page.evaluate(`(${expression}).then(() => true, () => false)`);
}

describeWith(['chromium'], 'the page', () => {
  test('has no Node in it', async () => {
    const types = await desktop.page.evaluate(
      '[typeof require, typeof process, typeof module, typeof Buffer, typeof global]',
    );
    expect(types).toEqual(Array(5).fill('undefined'));
  });

  test('sees three functions of the host and cannot replace them', async () => {
    const members = await desktop.page.evaluate(
      'Object.entries(window.stalltrace).map(([name, value]) => [name, typeof value])',
    );
    expect(members).toEqual([
      ['post', 'function'],
      ['onFrame', 'function'],
      ['pathForFile', 'function'],
    ]);
    expect(await desktop.page.evaluate('Object.isFrozen(window.stalltrace)')).toBe(true);
  });

  test('runs in a locked-down window', async () => {
    const { window, sandboxed, schemes } = await desktop.control('look');
    const { preload, ...preferences } = window.options.webPreferences ?? {};
    expect(preload).toMatch(/preload\/index\.cjs$/);
    expect(preferences).toEqual({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
    });
    expect(sandboxed).toBe(true);
    expect(schemes).toEqual({
      app: { standard: true, secure: true, supportFetchAPI: true, stream: true },
    });
  });
});

describeWith(['chromium'], 'app://', () => {
  test.each([
    '/../../package.json',
    '/../main/index.js',
    '/%2e%2e/main/index.js',
    '/..%2fmain%2findex.js',
    '/%2e%2e%2fmain%2findex.js',
    '/..%5cmain%5cindex.js',
    '/assets/%2e%2e/%2e%2e/main/index.js',
    '/..\\main\\index.js',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
    '/index.html%00.js',
    '/%E0%A4%A',
    '/assets',
    '/',
    '/data/../main/index.js',
  ])('answers %s with 404', async (path) => {
    expect((await rawGet(path)).status).toBe(404);
  });

  test('serves one host and one method', async () => {
    expect((await rawGet('/index.html')).status).toBe(200);
    expect((await rawGet('/index.html', 'other.app.localhost')).status).toBe(404);
    expect((await rawGet('/index.html', undefined, 'POST')).status).toBe(405);
  });

  test('sends the policy with every answer', async () => {
    for (const path of ['/index.html', '/missing']) {
      const { headers } = await rawGet(path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
          "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
          "frame-ancestors 'none'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    }
  });

  test('answers for tiles of no open trace with 404', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await rawGet(`/data/${id}/tiles?runs=0.-1.0.0.1`)).status).toBe(404);
  });
});

describeWith(['chromium'], 'the content policy in Chromium', () => {
  test('blocks an inline script, an inline handler and eval', async () => {
    await desktop.page.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'window.injected = 1';
      document.body.append(script);
      const holder = document.createElement('div');
      holder.innerHTML = '<img src="data:," onerror="window.injected = 2">';
      document.body.append(holder);
      setTimeout('window.injected = 3');
    })()`);
    // The picture fails and the timer rings by then.
    await desktop.page.waitForTimeout(200);
    expect(await desktop.page.evaluate('typeof window.injected')).toBe('undefined');
  });

  test('blocks talking to anybody else', async () => {
    expect(await succeeds(`fetch(${JSON.stringify(foreignUrl)})`)).toBe(false);
    expect(await succeeds("fetch('/index.html')")).toBe(true);
    const image = `new Promise((resolve, reject) => {
      const image = new Image();
      image.onload = resolve;
      image.onerror = reject;
      image.src = ${JSON.stringify(foreignUrl)};
    })`;
    expect(await succeeds(image)).toBe(false);
  });
});

describeWith(['chromium'], 'leaving the page', () => {
  test.each([
    (url: string) => `location.href = '${url}'`,
    (url: string) => `location.replace('${url}')`,
    () => "location.href = '/missing.html'",
    () => "location.href = 'file:///etc/passwd'",
    () => 'location.href = \'javascript:document.body.textContent="x"\'',
    (url: string) => `{ const a = document.createElement('a'); a.href = '${url}'; a.click(); }`,
  ])('is refused (%#)', async (attempt) => {
    const before = desktop.page.url();
    await desktop.page.evaluate('window.stillHere = true');
    await desktop.page.evaluate(`void (() => { ${attempt(foreignUrl)} })()`).catch(() => undefined);
    // A page that is let go of is gone by then.
    await desktop.page.waitForTimeout(300);
    expect(desktop.page.url()).toBe(before);
    expect(await desktop.page.evaluate('window.stillHere')).toBe(true);
  });

  test('opens no window and hands only listed links to the browser', async () => {
    const links = [
      foreignUrl,
      'file:///etc/passwd',
      'smb://host/share',
      'javascript:alert(1)',
      'https://docs.pytorch.org.evil.example/docs/stable/data.html',
      'https://docs.pytorch.org/docs/stable/data.html?leak=1',
    ];
    for (const link of links) await desktop.page.evaluate(`void window.open('${link}')`);
    const anchor = `{ const a = document.createElement('a'); a.target = '_blank';
      a.href = 'https://docs.pytorch.org/docs/stable/data.html'; a.click(); }`;
    await desktop.page.evaluate(`void (() => ${anchor})()`);
    await expect
      .poll(async () => (await desktop.control('look')).openedExternally)
      .toEqual(['https://docs.pytorch.org/docs/stable/data.html']);
    await expect.poll(() => desktop.page.context().pages().length).toBe(1);
  });

  test('attaches no webview', async () => {
    expect(await desktop.control('attachWebview')).toBe(false);
  });
});

describeWith(['chromium'], 'permissions', () => {
  test.each(['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi'])(
    'denies %s',
    async (name) => {
      const state = await desktop.page.evaluate(
        `navigator.permissions.query({ name: '${name}' }).then((status) => status.state)`,
      );
      expect(state).toBe('denied');
    },
  );

  test.each(['media', 'usb', 'openExternal'])('says no to %s, whoever asks', async (permission) => {
    expect(await desktop.control('permissionAnswers', permission)).toEqual({
      request: false,
      check: false,
      device: false,
    });
  });

  test('refuses what would need one', async () => {
    expect(await succeeds('navigator.mediaDevices.getUserMedia({ audio: true })')).toBe(false);
    expect(await succeeds('navigator.clipboard.readText()')).toBe(false);
  });
});

describeWith(['chromium'], 'cookies', () => {
  test('are not kept', async () => {
    const address = `http://stalltrace.app.localhost:${desktop.httpPort}/`;
    expect(await desktop.page.context().cookies(address)).toEqual([]);
  });
});

describeWith(['chromium'], 'ipc', () => {
  test('survives whatever a page sends', async () => {
    const frames = fc.sample(
      fc.oneof(
        fc.jsonValue({ maxDepth: 4 }),
        fc.record({
          kind: fc.constantFrom('call', 'cancel', 'event', ''),
          id: fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.string()),
          name: fc.constantFrom(
            'trace.open',
            '__proto__',
            'constructor',
            'toString',
            'library.add',
          ),
          args: fc.jsonValue(),
        }),
      ),
      { numRuns: 300, seed: 42 },
    );
    await desktop.page.evaluate(
      `for (const frame of ${JSON.stringify(frames)}) window.stalltrace.post(frame)`,
    );
    expect(await callThroughBridge(desktop.page, 'app.about', {})).toMatchObject({
      ok: true,
      value: { host: 'desktop' },
    });
  });

  test('drops calls of a frame inside the page', async () => {
    await desktop.page.evaluate('void document.body.append(document.createElement("iframe"))');
    const inner = desktop.page.frames()[1];
    await inner?.evaluate(
      `__electronDoubleSend('stalltrace:request', [{ kind: 'call', id: 1, name: 'app.about', args: {} }])`,
    );
    await expect.poll(() => desktop.log()).toContain('call dropped, from a frame inside the page');
  });

  test('drops calls of another origin, even in the window itself', async () => {
    const home = desktop.page.url();
    await desktop.control('loadUrl', foreignUrl);
    await desktop.page.waitForURL(foreignUrl);
    await desktop.page.evaluate(`(() => {
      window.replies = 0;
      window.stalltrace.onFrame(() => { window.replies += 1; });
      window.stalltrace.post({ kind: 'call', id: 1, name: 'app.about', args: {} });
    })()`);
    await expect.poll(() => desktop.log()).toContain('call dropped, from another origin');
    expect(await desktop.page.evaluate('window.replies')).toBe(0);
    await desktop.control('loadUrl', 'app://stalltrace/index.html');
    await desktop.page.waitForURL(home);
  });
});
