import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { builtFile } from '../support/built.ts';
import { simulatedTrace } from '../support/simulated-trace.ts';
import type { ControlMessage, ControlRequest, Controls } from './control.ts';

const RUNNER = fileURLToPath(new URL('./run.ts', import.meta.url));
const START_LIMIT_MS = 60_000;

export interface DesktopOptions {
  readonly args?: readonly string[];
  /** Kept after the end, so that another start finds it; a temporary one otherwise. */
  readonly dataFolder?: string;
}

/** The built desktop app, running in the double, as a test drives it. */
export interface DesktopUnderTest {
  readonly page: Page;
  readonly dataFolder: string;
  readonly httpPort: number;
  control<N extends keyof Controls>(
    name: N,
    ...args: Parameters<Controls[N]>
  ): Promise<Awaited<ReturnType<Controls[N]>>>;
  /** What the app wrote to its log so far. */
  log(): Promise<string>;
  /** Resolves to the exit code. */
  readonly exited: Promise<number>;
  /** Quits as the user would; resolves to the exit code, and prints the log where that is not 0. */
  quit(): Promise<number>;
}

/** Starts the app and waits for its window to have loaded the page. */
export async function launchDesktop(options: DesktopOptions = {}): Promise<DesktopUnderTest> {
  const dataFolder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), 'stalltrace-desktop-')));
  const child = forkDesktop(options, dataFolder);
  const exited = exitOf(child);
  const { debugPort, httpPort } = await readyMessage(child, exited);
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${debugPort}`);
  const page = await appPage(browser);
  const control = createControl(child);
  const log = () => readFile(join(dataFolder, 'logs', 'desktop.log'), 'utf8').catch(() => '');
  return {
    page,
    dataFolder,
    httpPort,
    control,
    exited,
    log,
    async quit() {
      // Where it has ended by itself its code is the answer.
      await control('quit').catch(() => undefined);
      const code = await exited;
      // The folder goes, and with it the only word of what ended the app.
      if (code !== 0) console.error(await log());
      await browser.close();
      if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true, force: true });
      return code;
    },
  };
}

/** Starts the app where it is expected to end by itself, as a second instance does. */
export async function runDesktop(
  options: DesktopOptions & { dataFolder: string },
): Promise<number> {
  return exitOf(forkDesktop(options, options.dataFolder));
}

function forkDesktop(options: DesktopOptions, dataFolder: string): ChildProcess {
  return fork(RUNNER, [builtFile('main/index.js'), ...(options.args ?? [])], {
    env: { ...process.env, STALLTRACE_DATA_DIR: dataFolder, STALLTRACE_SAMPLE: simulatedTrace },
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? -1)));
}

function readyMessage(
  child: ChildProcess,
  exited: Promise<number>,
): Promise<Extract<ControlMessage, { kind: 'ready' }>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the app did not start')), START_LIMIT_MS);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`the app ended with code ${code} instead of starting`));
    });
    child.on('message', (message: ControlMessage) => {
      if (message.kind !== 'ready') return;
      clearTimeout(timer);
      resolve(message);
    });
  });
}

async function appPage(browser: Browser): Promise<Page> {
  const [context] = browser.contexts();
  const page = context?.pages()[0];
  if (page === undefined) throw new Error('the app has no window');
  await page.waitForURL(/^http:\/\/stalltrace\.app\.localhost/, { waitUntil: 'load' });
  return page;
}

function createControl(child: ChildProcess): DesktopUnderTest['control'] {
  const waiting = new Map<number, (message: Extract<ControlMessage, { kind: 'answer' }>) => void>();
  let nextId = 0;
  child.on('message', (message: ControlMessage) => {
    if (message.kind === 'answer') waiting.get(message.id)?.(message);
  });
  return (name, ...args) => {
    const id = nextId++;
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ value, error }) => {
        waiting.delete(id);
        if (error === undefined) resolve(value as never);
        else reject(new Error(error));
      });
      child.send({ id, name, args } satisfies ControlRequest, (error) => {
        if (error !== null) reject(error);
      });
    });
  };
}
