import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callThroughBridge } from '../electron-double/bridge.ts';
import { type DesktopUnderTest, launchDesktop, runDesktop } from '../electron-double/launch.ts';
import { copyTrace } from '../electron-double/trace-file.ts';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { describeWith } from '../support/requirements.ts';

let folder: string;
let desktop: DesktopUnderTest;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stalltrace-e2e-'));
});
afterEach(async () => {
  expect(await desktop.quit()).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

async function start(args: readonly string[] = []): Promise<void> {
  desktop = await launchDesktop({ dataFolder: join(folder, 'data'), args });
}

async function add(name: string): Promise<{ id: number }> {
  const path = await copyTrace(folder, name);
  const added = await callThroughBridge(desktop.page, 'library.add', { path });
  if (!added.ok) throw new Error(added.error.message);
  return added.value.investigation;
}

/** The trace on the screen, and the tab. */
async function expectShown(name: string, tab: string): Promise<void> {
  await desktop.page.getByRole('tab', { name: tab, selected: true }).waitFor();
  expect(await desktop.page.title()).toContain(name);
}

describeWith(['chromium'], 'a stalltrace: link', () => {
  test('is for this app, started as it was', async () => {
    await start();
    const { protocols } = await desktop.control('look');
    expect(protocols).toMatchObject([{ scheme: 'stalltrace' }]);
    const [{ path = '', args = [] } = {}] = protocols;
    const way = [path, ...args.slice(0, -1)];
    expect(way.every((part) => isAbsolute(part) && existsSync(part))).toBe(true);
    expect(args.at(-1)).toBe('--');
  });

  test('opens its view when it is clicked in another program', async () => {
    await start();
    const { id } = await add('linked run.db');
    await desktop.control('openUrl', `stalltrace:#investigation=${id}`);
    await expectShown('linked run', 'Overview');
  });

  test('opens its view from a second start, as it was registered, which ends itself', async () => {
    await start();
    const { id } = await add('linked run.db');
    await desktop.control('minimize');
    const [registered] = (await desktop.control('look')).protocols;
    // The runner stands for the app's entry.
    const way = registered?.args.slice(1) ?? [];
    const args = ['--flag', ...way, `stalltrace:#investigation=${id}`];
    expect(await runDesktop({ dataFolder: desktop.dataFolder, args })).toBe(0);
    await expectShown('linked run', 'Overview');
    expect((await desktop.control('look')).window).toMatchObject({ minimized: false });
  });

  test('that is hostile names no file, at the start and beside a running app', async () => {
    const planted = await copyTrace(folder, 'planted.db');
    const hostile = ['--', 'stalltrace:#investigation=4711', '--no-sandbox', planted];
    await start(hostile);
    await desktop.page
      .getByText(/no longer in the library|not in this library/)
      .first()
      .waitFor();
    const { id } = await add('linked run.db');
    const again = ['--', `stalltrace:#investigation=${id}`, planted];
    expect(await runDesktop({ dataFolder: desktop.dataFolder, args: again })).toBe(0);
    await expectShown('linked run', 'Overview');
    const listed = await callThroughBridge(desktop.page, 'library.list', {});
    expect(JSON.stringify(listed)).toContain('linked run');
    expect(JSON.stringify(listed)).not.toContain('planted');
  });

  test('that leads nowhere changes nothing', async () => {
    await start(['stalltrace:#investigation=4711']);
    await desktop.page
      .getByText(/no longer in the library|not in this library/)
      .first()
      .waitFor();
    await desktop.control('openUrl', 'stalltrace://../../etc/passwd#"><img src=x>');
    await desktop.control('openUrl', 'https://example.org/#investigation=1');
    expect(await callThroughBridge(desktop.page, 'app.about', {})).toMatchObject({ ok: true });
    expect(await desktop.page.title()).toContain('Stalltrace');
  });
});

describeWith(['chromium'], 'a removed file of the user', () => {
  test('goes to the trash of the system', async () => {
    await start();
    const path = join(folder, 'old run.db');
    makeIngeroDatabase(path, '0.16.0');
    const added = await callThroughBridge(desktop.page, 'library.add', { path });
    const id = added.ok ? added.value.investigation.id : 0;
    const removal = { id, trashFile: true };
    expect(await callThroughBridge(desktop.page, 'library.remove', removal)).toMatchObject({
      ok: true,
    });
    await expect.poll(async () => (await desktop.control('look')).trashed).toEqual([path]);
    expect(existsSync(path)).toBe(false);
  });
});
