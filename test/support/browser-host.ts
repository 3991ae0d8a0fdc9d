import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { builtFile } from './built.ts';

/** A running `stalltrace serve` with a data folder of its own. */
export interface BrowserHost {
  readonly port: number;
  readonly dataFolder: string;
  readonly process: ChildProcess;
  /** The link it printed first; good for one exchange. */
  readonly link: string;
  /** Presses Enter and returns the new link. */
  nextLink(): Promise<string>;
  stop(): Promise<void>;
}

const LINK = /http:\/\/127\.0\.0\.1:(\d+)\/#token=\S+/;

/** Starts the built browser host; `args` follow `serve`. */
export async function startBrowserHost(
  args: readonly string[] = [],
  cwd = tmpdir(),
): Promise<BrowserHost> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'stalltrace-data-'));
  const child = spawn(process.execPath, [builtFile('main/cli.js'), 'serve', ...args], {
    cwd,
    env: { ...process.env, STALLTRACE_DATA_DIR: dataFolder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  async function readLink(): Promise<string> {
    for await (const [line] of on(lines)) {
      const link = LINK.exec(line)?.[0];
      if (link !== undefined) return link;
    }
    throw new Error('the browser host ended without printing a link');
  }
  const link = await readLink();
  return {
    port: Number(LINK.exec(link)?.[1]),
    dataFolder,
    process: child,
    link,
    nextLink() {
      child.stdin.write('\n');
      return readLink();
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Lines as they come, until the stream ends; unlike readline's own iterator it can be left and resumed. */
async function* on(lines: ReturnType<typeof createInterface>): AsyncGenerator<[string]> {
  const closed = once(lines, 'close').then(() => undefined);
  for (;;) {
    const next = await Promise.race([once(lines, 'line') as Promise<[string]>, closed]);
    if (next === undefined) return;
    yield next;
  }
}
