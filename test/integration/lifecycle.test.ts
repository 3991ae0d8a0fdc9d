import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtFile, root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';
import { simulatedTrace as sample } from '../support/simulated-trace.ts';

/** How the hosts of the command line begin and end: signals, closed pipes, temporary folders. */

let folder: string;
/** What the host sees as TMPDIR. */
let temporary: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'life-'));
  temporary = join(folder, 't');
  mkdirSync(temporary);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cli = () => builtFile('main/cli.js');
const environment = () => ({
  ...process.env,
  TMPDIR: temporary,
  STALLTRACE_DATA_DIR: join(folder, 'data'),
});

/** `serve` up to its link. */
async function serving(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [cli(), 'serve'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describeWith(['notWindows'], 'serve ends', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('at %s', async (signal) => {
    const child = await serving();
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describeWith(['notWindows'], 'info', () => {
  test.each([
    ['that is missing', '/nonexistent'],
    ['whose path is too long for a socket', 'x'.repeat(110)],
  ])('works with a temporary folder %s', (_name, path) => {
    temporary = join(temporary, path);
    if (!path.startsWith('/')) mkdirSync(temporary);
    const { status, stderr } = spawnSync(process.execPath, [cli(), 'info', sample], {
      env: environment(),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('leaves nothing behind when its reader goes at once', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `{ "${process.execPath}" "${cli()}" info "${sample}" --json; echo $? >&2; } | true`],
      { env: environment(), encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '0\n' });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('says so when its output cannot be written', () => {
    const readOnly = openSync(sample, 'r');
    const { status, stderr } = spawnSync(process.execPath, [cli(), 'info', sample], {
      env: environment(),
      encoding: 'utf8',
      stdio: ['ignore', readOnly, 'pipe'],
    });
    closeSync(readOnly);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^stalltrace: the output could not be written \(EBADF\): .+\.\n$/);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

/** A host that asks a child for an import that blocks it, as SQLite does, for a long time. */
function writeBlockingImport(): string {
  const child = join(folder, 'child.ts');
  const host = join(folder, 'host.mjs');
  const module = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);
  writeFileSync(
    child,
    `import { z } from ${module('node_modules/zod/index.js')};
     import { serveParent } from ${module('src-main/rpc/parent-port.ts')};
     import { defineCall, returns } from ${module('src-main/shared/rpc/rpc.ts')};
     serveParent({ open: defineCall(z.strictObject({}), returns()) }, {
       async open(_args, context) {
         const end = Date.now() + 30_000;
         while (Date.now() < end) {
           context.progress({ text: 'reading' });
           Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
         }
         return { ok: true, value: null };
       },
     });`,
  );
  writeFileSync(
    host,
    `import { fork } from 'node:child_process';
     const child = fork(${JSON.stringify(child)}, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
     child.once('message', () => console.log(child.pid));
     child.send({ kind: 'call', id: 0, name: 'open', args: {} });`,
  );
  return host;
}

describe('a trace process', () => {
  test('ends with a host that is killed during a blocking import', async () => {
    const host = spawn(process.execPath, [writeBlockingImport()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(host.stdout, 'data');
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    host.kill('SIGKILL');
    await once(host, 'exit');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
