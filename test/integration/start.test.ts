import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/built.ts';

/** `npm start` where no window can be had, up to its link. */
async function startWithoutWindow(environment: Readonly<Record<string, string>>): Promise<string> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'stalltrace-start-'));
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
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

  test('does so on request as well', async () => {
    const output = await startWithoutWindow({ STALLTRACE_HOST: 'browser' });
    expect(output).toMatch(/No desktop window: STALLTRACE_HOST=browser asks for it\./);
  });
});
