import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { fail, ok } from '../../src-main/shared/rpc/result.ts';
import {
  fakeConnected,
  fakeHost,
  fakeLive,
  fakePreflight,
  fakeProcess,
  fakeRun,
} from '../../src-renderer/state/testing/fake-remote.ts';
import { seriousFindings } from '../support/page/axe.ts';
import { type BrowserHost, startBrowserHost } from '../support/page/browser-host.ts';
import { launchChromium } from '../support/page/chromium.ts';
import { ScriptedRemote } from '../support/remote/scripted-remote.ts';
import { describeWith } from '../support/requirements.ts';

/** The screen of captures with what no test host can be had for: many, long and hostile things. */

const LONG = 'x'.repeat(1000);
const HOSTILE = '<img src=x onerror="window.broken=1">\u202egnp.exe';
const KEY = {
  type: 'ssh-ed25519',
  fingerprint: 'SHA256:yF1iIgD6tgU38XU5VyYWQXQcvbK1Q+I0nVJWN0C7Hm0',
};
const hosts = Array.from({ length: 40 }, (_, index) =>
  fakeHost({
    id: `config:${index}`,
    label: [LONG, HOSTILE][index] ?? `gpu-${index}`,
    target: { name: `host-${index}` },
  }),
);
const processes = [
  fakeProcess(7, { usesGpu: true, name: HOSTILE, commandLine: `${HOSTILE} ${LONG}` }),
  ...Array.from({ length: 500 }, (_, index) => fakeProcess(1000 + index, { role: 'other' })),
];
const run = fakeRun({ link: 'connected', what: `${HOSTILE} ${LONG}`, live: fakeLive() });

describeWith(['chromium'], 'hosts and captures on the screen', () => {
  let host: BrowserHost;
  let browser: Browser;
  let page: Page;
  let remote: ScriptedRemote;
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  beforeAll(async () => {
    host = await startBrowserHost();
    browser = await launchChromium();
  });
  beforeEach(async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    remote = new ScriptedRemote()
      .answer('remote.hosts', () => ok({ hosts, problems: [`~/.ssh/config:1: ${HOSTILE}`] }))
      .answer('remote.runs', () => ok([]))
      .answer('remote.connect', ({ connection }) => ok(fakeConnected({ connection })))
      .answer('remote.preflight', () => ok(fakePreflight()))
      .answer('remote.processes', () => ok({ trees: processes }))
      .answer('remote.start', () => ok(run));
    await remote.attach(page);
    await page.goto(await host.nextLink());
    await page.getByRole('row', { name: /Sample/ }).waitFor();
    await page.keyboard.press('Alt+KeyC');
    await button('Connect to gpu-2').waitFor();
  });
  afterEach(async () => {
    expect(await page.evaluate('window.broken')).toBeUndefined();
    const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(isWide)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().close();
  });
  afterAll(async () => {
    await browser?.close();
    await host?.stop();
  });

  /** Connects, and has the host ask something; what was answered is in `remote.asked`. */
  async function ask(question: object): Promise<void> {
    remote.answer('remote.connect', ({ connection }) => {
      const asked = { id: '11111111-1111-4111-8111-111111111111', connection, host: HOSTILE };
      remote.emit('remote.question', { ...asked, ...question } as never);
      return new Promise(() => undefined);
    });
    await button('Connect to gpu-2').click();
    await page.getByRole('dialog').waitFor();
  }
  const answers = () => remote.asked.filter(({ name }) => name === 'remote.answer');

  test('40 hosts are searched; names are text only', async () => {
    await page.keyboard.press('Escape');
    await page.getByLabel('Search hosts').fill('gpu-39');
    await button('Connect to gpu-39').waitFor();
    expect(await page.getByRole('button', { name: /^Connect to gpu/ }).count()).toBe(1);
  });

  test('this machine stands beside the hosts', async () => {
    await button('Connect to this machine').click();
    const asked = { label: 'This machine', target: { name: 'localhost' } };
    await expect
      .poll(() => remote.asked)
      .toContainEqual({
        name: 'remote.connect',
        args: { connection: expect.any(String), ...asked },
      });
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor();
  });

  test('a host is filled in field by field, and what is wrong is said beside its field', async () => {
    const fields = { Address: 'h100.example', User: 'ada', Port: '99999' };
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
    await page.getByLabel('Jump hosts, first one first').fill('me@bastion:2222');
    await page.getByLabel('Name in the list').fill('the lab');
    const port = page.getByLabel('Port');
    const said = await port.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${said}"]`).innerText()).toMatch(/from 1 to 65535/);
    expect(await button('Connect').isDisabled()).toBe(true);
    await port.fill('2222');
    await port.press('Enter');
    const target = { name: 'h100.example', user: 'ada', port: 2222, jumps: ['me@bastion:2222'] };
    await expect
      .poll(() => remote.asked)
      .toContainEqual({
        name: 'remote.connect',
        args: { connection: expect.any(String), label: 'the lab', target },
      });
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor();
  });

  test('what is opened while the app still loads stays open', async () => {
    const early = await page.context().newPage();
    const { promise: pressed, resolve: goOn } = Promise.withResolvers<void>();
    await early.routeWebSocket(/\/rpc$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage(async (message) => {
        if (JSON.parse(String(message)).name === 'app.about') await pressed;
        server.send(message);
      });
    });
    await early.goto(await host.nextLink());
    await early.getByRole('row', { name: /Sample/ }).waitFor();
    await early.keyboard.press('Alt+KeyC');
    await expect.poll(() => early.title()).toBe('Capture – Stalltrace');
    goOn();
    // The address follows when all is loaded.
    await expect.poll(() => early.url()).toContain('#capture');
    expect(await early.title()).toBe('Capture – Stalltrace');
  });

  test('a new key: Enter right after it appeared trusts nothing', async () => {
    await ask({ kind: 'host-key', key: KEY, alsoKnownAs: [HOSTILE] });
    await page.keyboard.press('Enter');
    await expect.poll(answers).toMatchObject([{ args: { answer: { kind: 'cancel' } } }]);
  });

  test('a changed key is replaced only with the box ticked', async () => {
    const known = [{ ...KEY, file: `/home/${LONG}`, line: 3 }];
    await ask({ kind: 'host-key-changed', key: KEY, known, replaceable: true });
    expect(await seriousFindings(page)).toEqual([]);
    expect(await button('Replace the known key').isDisabled()).toBe(true);
    await page.getByLabel(/I compared the key/).check();
    await button('Replace the known key').click();
    await expect.poll(answers).toMatchObject([{ args: { answer: { kind: 'replace' } } }]);
  });

  test('several prompts are answered by the keyboard, one of them hidden', async () => {
    const prompts = [
      { text: 'Password: ', echo: false },
      { text: HOSTILE, echo: true },
    ];
    await ask({ kind: 'prompts', name: '', instruction: `one\n${LONG}`, prompts });
    expect(await page.locator('dialog input').first().getAttribute('type')).toBe('password');
    await page.keyboard.type('first');
    await page.keyboard.press('Tab');
    await page.keyboard.type('second');
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const texts = ['first', 'second'];
    await expect.poll(answers).toMatchObject([{ args: { answer: { kind: 'texts', texts } } }]);
  });

  test('a failure says what to do, is tried again by Enter, and can be read again', async () => {
    remote.answer('remote.connect', () => fail('unreachable', 'Nobody answers: is it running?'));
    await button('Connect to gpu-2').click();
    await page.getByText('Nobody answers').waitFor();
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent.trim()'))
      .toBe('Try again');
    remote.answer('remote.connect', ({ connection }) => ok(fakeConnected({ connection })));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor();
    expect(await page.getByText('Nobody answers').count()).toBe(0);
    await button('Messages so far').click();
    await page.getByRole('dialog').getByText('Nobody answers').waitFor();
  });

  test('a large screen is used from side to side, a small one from top to bottom', async () => {
    /** Left and right edge. */
    const edges = async (place: Locator) => {
      const box = await place.boundingBox();
      if (box === null) throw new Error('nothing is there');
      return { left: box.x, right: box.x + box.width };
    };
    const seen = () => edges(page.getByRole('heading', { name: 'Will be seen' }));
    const checked = () => edges(page.getByRole('table', { name: 'What was checked on the host' }));
    await button('Connect to gpu-2').click();
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor();
    expect((await seen()).left).toBeCloseTo((await checked()).left, -1);
    await page.setViewportSize({ width: 2560, height: 1440 });
    expect((await seen()).right).toBeLessThan((await checked()).left);
    expect((await checked()).right).toBeGreaterThan(2500);
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('radio', { name: /A job that runs/ }).check();
    await page.getByRole('checkbox', { name: /pid 7,/ }).check();
    await button('Start the capture').click();
    const calls = page.getByRole('region', { name: 'Slowest CUDA calls so far' });
    const recorded = page.getByRole('progressbar', { name: 'Recorded' });
    expect((await edges(recorded)).right).toBeLessThan((await edges(calls)).left);
    expect((await edges(calls)).right).toBeGreaterThan(2500);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect((await edges(recorded)).left).toBeCloseTo((await edges(calls)).left, -2);
  });

  test('500 processes are filtered by key, and the capture is followed over a lost link', async () => {
    await button('Connect to gpu-2').click();
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor();
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('radio', { name: /A job that runs/ }).check();
    await page.getByRole('cell', { name: '1499', exact: true }).waitFor();
    await page.keyboard.press('Slash');
    await page.keyboard.type('1499');
    await page.getByRole('cell', { name: '1000', exact: true }).waitFor({ state: 'detached' });
    await button('Start the capture').click();
    await page.getByText('not known on this host').waitFor();
    const connected = remote.asked.find(({ name }) => name === 'remote.connect');
    const { connection } = (connected?.args ?? {}) as { connection?: string };
    const state = { kind: 'reconnecting', attempt: 2, nextAtMs: Date.now() + 9_000, why: 'Cut.' };
    remote.emit('remote.link', { connection, state } as never);
    remote.emit('remote.run', { ...run, link: 'reconnecting' });
    await page.getByText(/The recorder goes on by itself/).waitFor();
    await page.getByText(/Attempt 2 in \d s\./).waitFor();
    await button('Retry now').click();
    await expect.poll(() => remote.asked.some(({ name }) => name === 'remote.retry')).toBe(true);
    expect(await button('Leave it running').isEnabled()).toBe(true);
  });

  test('several hosts are started by one press; one that cannot is tried again or left out', async () => {
    const labels = new Map<string, string>();
    remote
      .answer('remote.connect', ({ connection, label = '' }) => {
        labels.set(connection, label);
        return label === 'gpu-4'
          ? fail('sign-in-failed', 'The host took none of your keys: ask who runs it.')
          : ok(fakeConnected({ connection, label }));
      })
      .answer('remote.start', ({ connection }) => {
        const host = labels.get(connection) ?? '';
        const id = [...labels.keys()].indexOf(connection).toString().repeat(16);
        return ok(fakeRun({ id, host, link: 'connected', live: fakeLive() }));
      });
    await button('Connect to gpu-2').click();
    await page.getByRole('heading', { name: 'Will be seen' }).waitFor();
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByLabel('Command', { exact: true }).fill('python train.py');
    const box = page.getByLabel(/^Another host/);
    for (const name of ['gpu-3', 'gpu-4', HOSTILE]) {
      await box.fill(name);
      await box.press('Enter');
      await expect.poll(() => box.inputValue()).toBe('');
    }
    await page.getByText('The host took none of your keys').waitFor();
    expect(await button('Start on 4 hosts').isDisabled()).toBe(true);
    await page.getByText('gpu-4 is not connected.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button('Leave out gpu-4').click();
    await page.getByLabel('Command on gpu-3').fill('NODE_RANK=1 python train.py');
    await button('Start on 3 hosts').click();
    const group = page.getByRole('region', { name: 'One run on 3 hosts' });
    await group.waitFor();
    const lines = remote.asked
      .filter(({ name }) => name === 'remote.start')
      .map(({ args }) => (args as { request: { target: { line: string } } }).request.target.line);
    expect(lines).toEqual(['python train.py', 'NODE_RANK=1 python train.py', 'python train.py']);
    await group.getByRole('button', { name: 'gpu-3' }).click();
    await page.getByText('on gpu-3 ·').waitFor();
    await group.getByRole('button', { name: 'Stop all and bring them back' }).click();
    await expect
      .poll(() => remote.asked.filter(({ name }) => name === 'remote.stop').length)
      .toBe(3);
  });
});
