import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPerfetto } from '../../src-main/report/testing/read-perfetto.ts';
import { callThroughBridge } from '../electron-double/bridge.ts';
import {
  type DesktopOptions,
  type DesktopUnderTest,
  launchDesktop,
  runDesktop,
} from '../electron-double/launch.ts';
import { copyTrace } from '../electron-double/trace-file.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

let folder: string;
let trace: string;
let running: DesktopUnderTest | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stalltrace-e2e-'));
  trace = await copyTrace(folder, 'training run.db');
});

afterEach(async () => {
  if (running !== undefined) expect(await running.quit()).toBe(0);
  running = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function start(options: DesktopOptions = {}): Promise<DesktopUnderTest> {
  running = await launchDesktop({ dataFolder: join(folder, 'data'), ...options });
  return running;
}

function overviewTab({ page }: DesktopUnderTest) {
  return page.getByRole('tab', { name: 'Overview' });
}

async function expectOpen(desktop: DesktopUnderTest, name = 'training run'): Promise<void> {
  await overviewTab(desktop).waitFor();
  expect(await desktop.page.title()).toContain(name);
}

/** Ids of the processes that were started with the data folder in their arguments. */
function serviceProcesses(): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes('-process.js') && line.includes(folder))
    .map((line) => Number.parseInt(line, 10));
}

describeWith(['chromium', 'sharedData'], 'opening a file', () => {
  test('comes from the command line, and quitting ends every process', async () => {
    const desktop = await start({ args: [trace] });
    await expectOpen(desktop);
    expect(serviceProcesses()).not.toEqual([]);
    expect(await desktop.quit()).toBe(0);
    running = undefined;
    expect(serviceProcesses()).toEqual([]);
  });

  test('comes from File → Open…', async () => {
    const desktop = await start();
    await desktop.control('scriptDialog', 'showOpenDialog', { canceled: true, filePaths: [] });
    await desktop.control('clickMenu', ['File', 'Open…']);
    await desktop.control('scriptDialog', 'showOpenDialog', {
      canceled: false,
      filePaths: [trace],
    });
    await desktop.control('clickMenu', ['File', 'Open…']);
    await expectOpen(desktop);
    const { dialogs } = await desktop.control('look');
    expect(dialogs).toHaveLength(2);
    expect(dialogs[0]?.options).toMatchObject({ properties: ['openFile'] });
  });

  test('comes from the page, which asks for the same dialog', async () => {
    const desktop = await start();
    await desktop.control('scriptDialog', 'showOpenDialog', {
      canceled: false,
      filePaths: [trace],
    });
    // Until the page has asked what its host can do it would show the browser's own dialog.
    await expect
      .poll(
        async () => {
          const shown = (await desktop.control('look')).dialogs.length;
          if (shown === 0) await desktop.page.keyboard.press('Control+O');
          return shown;
        },
        { interval: 500 },
      )
      .toBe(1);
    await expectOpen(desktop);
  });

  test('comes from the system', async () => {
    const desktop = await start();
    await desktop.control('openFile', trace);
    await expectOpen(desktop);
  });

  test('comes from a second start, which ends itself', async () => {
    const desktop = await start();
    await desktop.control('minimize');
    const second = { dataFolder: desktop.dataFolder, args: ['--flag', trace] };
    expect(await runDesktop(second)).toBe(0);
    await expectOpen(desktop);
    expect((await desktop.control('look')).window).toMatchObject({
      visible: true,
      minimized: false,
    });
  });

  test('comes with the summary that TraceML wrote of the run, or while it is being read', async () => {
    const summary = join(sharedData, 'traceml/traceml_input_bound.final_summary.json');
    const desktop = await start({ args: [summary, trace] });
    await expectOpen(desktop);
    const opinion = desktop.page.getByRole('region', { name: 'What TraceML says' });
    await opinion.getByText('TraceML says INPUT-BOUND', { exact: true }).waitFor();
    await opinion.getByRole('button', { name: 'Close' }).click();
    // Large enough to be still read when the summary is chosen.
    await desktop.control('openFile', join(sharedData, 'kineto/hta_large_216k.json.gz'));
    await desktop.page.getByText(/^Opening .*hta_large_216k/).waitFor();
    await desktop.control('scriptDialog', 'showOpenDialog', {
      canceled: false,
      filePaths: [summary],
    });
    await desktop.control('clickMenu', ['File', 'Open…']);
    await opinion.getByText('TraceML says INPUT-BOUND', { exact: true }).waitFor();
    await expectOpen(desktop, 'hta_large_216k');
  });

  test('comes from a file dropped on the page, by its path', async () => {
    const desktop = await start();
    await desktop.control('setFilePath', 'dropped.db', trace);
    const path = await desktop.page.evaluate(
      "window.stalltrace.pathForFile(new File(['x'], 'dropped.db'))",
    );
    expect(path).toBe(trace);
    const unknown = await desktop.page.evaluate(
      "window.stalltrace.pathForFile(new File(['x'], 'pasted.db'))",
    );
    expect(unknown).toBe('');
  });
});

describeWith(['chromium'], 'an open trace', () => {
  test('is saved for Perfetto where the user says', async () => {
    const desktop = await start({ args: [trace] });
    await expectOpen(desktop);
    const path = join(folder, 'saved.pftrace');
    await desktop.control('scriptDialog', 'showSaveDialog', { canceled: false, filePath: path });
    await desktop.control('clickMenu', ['File', 'Save as a Perfetto trace…']);
    await desktop.page.getByRole('button', { name: 'Save', exact: true }).click();
    await desktop.page.getByText(`Saved as ${path}.`).first().waitFor();
    expect(readPerfetto(await readFile(path)).tracks.length).toBeGreaterThan(1);
    const { dialogs } = await desktop.control('look');
    expect(dialogs.at(-1)?.options).toMatchObject({
      defaultPath: expect.stringContaining('Stalltrace timeline.pftrace'),
    });
  });

  test('hands tiles of its timeline to the page as binary bodies', async () => {
    const desktop = await start();
    const added = await callThroughBridge(desktop.page, 'library.add', { path: trace });
    const opened = await callThroughBridge(desktop.page, 'trace.open', {
      id: added.ok ? added.value.investigation.id : 0,
    });
    if (!opened.ok) throw new Error(opened.error.message);
    const { traceId, summary } = opened.value;
    const body =
      await desktop.page.evaluate(`fetch('/data/${traceId}/tiles?filter=&runs=0.-1.20.0.2')
      .then(async (response) => ({
        length: Number(response.headers.get('content-length')),
        bytes: Array.from(new Uint8Array(await response.arrayBuffer()).subarray(0, 4)),
        received: (await (await fetch(response.url)).arrayBuffer()).byteLength,
      }))`);
    expect(summary.tables.cuda_call.rows).toBeGreaterThan(0);
    const { length, bytes, received } = body as Record<string, never>;
    expect(String.fromCharCode(...(bytes as number[]))).toBe('STP1');
    expect(received).toBe(length);
  });

  test('outlives the process of the library', async () => {
    const desktop = await start();
    await callThroughBridge(desktop.page, 'library.list', {});
    const [library = 0] = serviceProcesses();
    process.kill(library, 'SIGKILL');
    await expect
      .poll(async () => (await callThroughBridge(desktop.page, 'library.list', {})).ok)
      .toBe(true);
    expect(serviceProcesses()).not.toContain(library);
  });
});

describeWith(['chromium'], 'when something breaks', () => {
  test('offers to reload a page whose process is gone', async () => {
    const desktop = await start();
    await desktop.page.evaluate('window.before = true');
    await desktop.control('scriptDialog', 'showMessageBox', { response: 0 });
    await desktop.control('loseRenderer', 'oom');
    await expect.poll(() => desktop.page.evaluate('window.before ?? false')).toBe(false);
    const { dialogs } = await desktop.control('look');
    expect(dialogs[0]?.options).toMatchObject({ message: 'The window ran out of memory.' });
    expect((await callThroughBridge(desktop.page, 'app.about', {})).ok).toBe(true);
  });

  test('ends on a bug in the main process, saying so', async () => {
    const desktop = await start();
    await desktop.control('scriptDialog', 'showErrorBox', undefined);
    await desktop.control('throwInMain');
    expect(await desktop.exited).toBe(1);
    running = undefined;
    expect(await desktop.log()).toContain('fatal: Error: thrown by a test');
  });
});

describeWith(['chromium'], 'the window', () => {
  test('comes back where it was', async () => {
    const desktop = await start();
    await desktop.control('move', { x: 120, y: 80, width: 1000, height: 700 });
    expect(await desktop.quit()).toBe(0);
    const file = join(desktop.dataFolder, 'desktop', 'window.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      position: { x: 120, y: 80 },
      width: 1000,
      height: 700,
      maximized: false,
    });
    const again = await start();
    expect((await again.control('look')).window.options).toMatchObject({
      x: 120,
      y: 80,
      width: 1000,
      height: 700,
      show: false,
    });
  });

  test('has a menu in which everything does something', async () => {
    const desktop = await start();
    const { menu } = await desktop.control('look');
    expect(menu.join('\n')).toMatchInlineSnapshot(`
      "File
        Open… (CmdOrCtrl+O)
        Capture from a GPU host… (Alt+C)
        —
        Save as .stalltrace… (CmdOrCtrl+Shift+S)
        Report… (CmdOrCtrl+E)
        Save a picture…
        Save a benchmark script…
        Save as a Perfetto trace…
        Copy a link to this view (CmdOrCtrl+Shift+L)
        —
        Settings… (CmdOrCtrl+,)
        —
        Close Window
        —
        Quit
      Edit
      View
        Overview (Alt+1)
        Timeline (Alt+2)
        Flame graph (Alt+3)
        Processes (Alt+4)
        Notes (Alt+5)
        About this recording (Alt+6)
        SQL statements (Alt+7)
        —
        Why slow: show or hide (CmdOrCtrl+B)
        Command palette (CmdOrCtrl+K)
        Theme
          As the system
          Light
          Dark
        —
        Actual Size
        Zoom In
        Zoom Out
        —
        Toggle Full Screen
        —
        Reload
        Toggle Developer Tools
      Go
        Library
        —
        Previous view
        Next view
        —
        Next slow CUDA call
        Previous slow CUDA call
        A time…
      Window
      Help
        Keys and mouse
        Messages so far
        —
        PyTorch: how the DataLoader works
        PyTorch: pinned memory and non_blocking
        NVIDIA: CUDA best practices
        —
        About Stalltrace"
    `);
    await desktop.control('clickMenu', ['Help', 'PyTorch: how the DataLoader works']);
    expect((await desktop.control('look')).openedExternally).toEqual([
      'https://docs.pytorch.org/docs/stable/data.html',
    ]);
  });

  test('has a menu that does on the page what it says, or says what has to be done before', async () => {
    const desktop = await start();
    const { page } = desktop;
    await page.getByRole('row', { name: /Sample/ }).waitFor();
    await desktop.control('clickMenu', ['File', 'Report…']);
    await page.getByText('“Report” can’t be done now: open a trace first.').waitFor();
    await desktop.control('clickMenu', ['View', 'Theme', 'Dark']);
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await desktop.control('clickMenu', ['Help', 'About Stalltrace']);
    const about = page.getByRole('dialog', { name: 'About Stalltrace' });
    await about.waitFor();
    await expect.poll(() => about.innerText()).toMatch(/Desktop app.*Electron\s+double/s);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Sample/ }).click();
    await overviewTab(desktop).waitFor();
    await desktop.control('clickMenu', ['View', 'Timeline']);
    await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
  });

  test('shows the user’s keys in its menu', async () => {
    const desktop = await start();
    const changes = { keys: { palette: ['Mod+Shift+KeyP'] } };
    expect((await callThroughBridge(desktop.page, 'settings.change', { changes })).ok).toBe(true);
    const menu = async () => (await desktop.control('look')).menu.join('\n');
    await expect.poll(menu).toContain('Command palette (CmdOrCtrl+Shift+P)');
    expect(await desktop.quit()).toBe(0);
    const again = await start();
    await expect
      .poll(async () => (await again.control('look')).menu.join('\n'))
      .toContain('Command palette (CmdOrCtrl+Shift+P)');
  });
});
