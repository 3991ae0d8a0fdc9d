import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeWith } from '../../test/support/requirements.ts';
import { SocketFolder } from './temporary-folder.ts';

const ID = '01234567-89ab-4cde-8f01-23456789abcd';
let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sockets-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function pathIn(...bases: string[]): Promise<string> {
  const found = await new SocketFolder(() => bases).socketPath(ID);
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

describeWith(['notWindows'], 'the folder of the local sockets', () => {
  test('is passed over where it is missing or its path too long for a socket', async () => {
    const long = join(base, 'a'.repeat(110 - base.length));
    mkdirSync(long);
    const path = await pathIn('/nonexistent', long, base);
    expect(dirname(dirname(path))).toBe(base);
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(103);
  });

  test('is a failure with a next step where none can be had, and tried again', async () => {
    const later = join(base, 'later');
    const folder = new SocketFolder(() => [later]);
    expect(await folder.socketPath(ID)).toMatchObject({
      error: { code: 'no-temporary-folder', message: expect.stringContaining('set TMPDIR') },
    });
    mkdirSync(later);
    expect(await folder.socketPath(ID)).toMatchObject({ ok: true });
  });

  test('is made once for openings at the same time, and again when a cleaner took it', async () => {
    const folder = new SocketFolder(() => [base]);
    await Promise.all([folder.socketPath(ID), folder.socketPath(ID)]);
    expect(readdirSync(base)).toHaveLength(1);
    for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true });
    await Promise.all([folder.socketPath(ID), folder.socketPath(ID)]);
    expect(readdirSync(base)).toHaveLength(1);
    await folder.remove();
    expect(readdirSync(base)).toEqual([]);
  });
});
