import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { builtFile } from '../built.ts';
import { simulatedTrace } from '../simulated-trace.ts';

/** A running `stalltrace serve` with a data folder of its own. */
export interface BrowserHost {
  readonly port: number;
  readonly dataFolder: string;
  readonly process: ChildProcess;
  /** The link it printed first; good for one exchange. */
  readonly link: string;
  /** What it wrote to stderr so far. */
  log(): string;
  /** Presses Enter and returns the new link. */
  nextLink(): Promise<string>;
  stop(keepData?: boolean): Promise<void>;
}

const LINK = /http:\/\/127\.0\.0\.1:(\d+)\/#token=\S+/;

/** Starts the built browser host; `args` follow `serve`. Stopping it removes its data folder. */
export async function startBrowserHost(
  args: readonly string[] = [],
  cwd = tmpdir(),
  dataFolder = mkdtempSync(join(tmpdir(), 'stalltrace-data-')),
  environment: NodeJS.ProcessEnv = {},
): Promise<BrowserHost> {
  const child = spawn(process.execPath, [builtFile('main/cli.js'), 'serve', ...args], {
    cwd,
    env: {
      ...process.env,
      STALLTRACE_DATA_DIR: dataFolder,
      STALLTRACE_SAMPLE: simulatedTrace,
      // The trash of a test is its own too.
      XDG_DATA_HOME: `${dataFolder}-home`,
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (data) => {
    log += String(data);
    process.stderr.write(data);
  });
  const links = linksOf(child.stdout);
  async function readLink(): Promise<string> {
    const { value, done } = await links.next();
    if (done) throw new Error('the browser host ended without printing a link');
    return value;
  }
  const link = await readLink();
  return {
    port: Number(LINK.exec(link)?.[1]),
    dataFolder,
    process: child,
    link,
    log: () => log,
    nextLink() {
      child.stdin.write('\n');
      return readLink();
    },
    async stop(keepData = false) {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      if (keepData) return;
      for (const folder of [dataFolder, `${dataFolder}-home`]) {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

async function* linksOf(stdout: Readable): AsyncGenerator<string, undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const link = LINK.exec(line)?.[0];
    if (link !== undefined) yield link;
  }
}
