import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

const START = join(root, 'scripts/start.mjs');

/** `npm start` where no window can be had, up to its link. */
async function startWithoutWindow(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<string> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'stalltrace-start-'));
  const child = spawn(process.execPath, [START, ...args], {
    cwd: root,
    env: { ...process.env, STALLTRACE_DATA_DIR: dataFolder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (/#token=\S+\n/.test(output)) break;
  }
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  rmSync(dataFolder, { recursive: true, force: true });
  return output;
}

describe('npm start', () => {
  test('says why there is no window and serves the app instead', async () => {
    const output = await startWithoutWindow({
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
      STALLTRACE_HOST: '',
    });
    const reason = process.getuid?.() === 0 ? /does not run as root/ : /there is no display/;
    if (process.platform === 'linux') expect(output).toMatch(reason);
    expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#token=/);
  });

  test('passes the options of the browser’s server on, which ask for it', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    const output = await startWithoutWindow({ STALLTRACE_HOST: '' }, [
      '--root',
      tmpdir(),
      `--port=${port}`,
    ]);
    expect(output).toMatch(/No desktop window: --root asks for the browser\./);
    expect(output).toContain(`http://127.0.0.1:${port}/#token=`);
  });

  test('does so on request as well', async () => {
    const output = await startWithoutWindow({ STALLTRACE_HOST: 'browser' });
    expect(output).toMatch(/No desktop window: STALLTRACE_HOST=browser asks for it\./);
  });
});

describeWith(['notWindows'], 'npm start that is ended', () => {
  test('ends the app, although npm and its shell pass no signal on', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'stalltrace-start-'));
    const shell = spawn('sh', ['-c', '"$0" "$1" & wait', process.execPath, START], {
      cwd: root,
      env: { ...process.env, STALLTRACE_DATA_DIR: dataFolder, STALLTRACE_HOST: 'browser' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // The pipe closes when the last process that holds it has ended.
    const everyoneEnded = once(shell.stdout, 'close');
    await new Promise<void>((resolve) => {
      let output = '';
      shell.stdout.on('data', (chunk) => {
        output += String(chunk);
        if (/#token=\S+\n/.test(output)) resolve();
      });
    });
    shell.kill('SIGKILL');
    await everyoneEnded;
    rmSync(dataFolder, { recursive: true, force: true });
  });
});
