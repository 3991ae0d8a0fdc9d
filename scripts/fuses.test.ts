import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyFuses, FUSES, fuseProblems } from './fuses.ts';

/** What Electron's binary has before its fuses; the states as its 43 and 44 are delivered with. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const DELIVERED = '101100011';
const OURS = '000011001';

let folder: string;
let electron: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fuses-'));
  electron = join(folder, 'stalltrace');
  mkdirSync(join(folder, 'resources'));
  writeFileSync(join(folder, 'resources', 'app.asar'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file that holds fuses as Electron's binary does, between bytes that are none of ours. */
function makeBinary(wire: string, version = 1): Buffer {
  const head = Buffer.concat([Buffer.from(SENTINEL), Buffer.from([version, wire.length])]);
  const parts = [randomBytes(5000), head, Buffer.from(wire), randomBytes(5000)];
  const bytes = Buffer.concat(parts);
  writeFileSync(electron, bytes);
  return bytes;
}

function wireNow(): string {
  const bytes = readFileSync(electron);
  const start = bytes.indexOf(SENTINEL) + SENTINEL.length + 2;
  return bytes.subarray(start, start + DELIVERED.length).toString();
}

test('sets every fuse and no other byte', async () => {
  const before = makeBinary(DELIVERED);
  await applyFuses(electron);
  expect(wireNow()).toBe(OURS);
  const start = 5000 + SENTINEL.length + 2;
  const expected = Buffer.from(before);
  expected.write(OURS, start);
  expect(readFileSync(electron).equals(expected)).toBe(true);
  await applyFuses(electron);
  expect(wireNow()).toBe(OURS);
  expect(await fuseProblems(electron)).toEqual([]);
});

test('names each fuse that is not as it should be', async () => {
  makeBinary(DELIVERED);
  expect(await fuseProblems(electron)).toEqual([
    'RunAsNode is on and must be off.',
    'EnableNodeOptionsEnvironmentVariable is on and must be off.',
    'EnableNodeCliInspectArguments is on and must be off.',
    'EnableEmbeddedAsarIntegrityValidation is off and must be on.',
    'OnlyLoadAppFromAsar is off and must be on.',
    'GrantFileProtocolExtraPrivileges is on and must be off.',
  ]);
  makeBinary(OURS.replace(/^0/, 'r'));
  expect(await fuseProblems(electron)).toEqual([
    'RunAsNode is gone from this Electron and must be off.',
  ]);
});

test.each([
  ['a fuse that the table does not know', `${DELIVERED}1`, 1, /has 10 fuses/],
  ['a fuse less', DELIVERED.slice(1), 1, /has 8 fuses/],
  ['another kind of wire', DELIVERED, 2, /version 2/],
])('leaves a binary with %s alone', async (_what, wire, version, sentence) => {
  const before = makeBinary(wire, version);
  await expect(applyFuses(electron)).rejects.toThrow(sentence);
  await expect(fuseProblems(electron)).rejects.toThrow(sentence);
  expect(readFileSync(electron).equals(before)).toBe(true);
});

test('leaves alone what is not Electron', async () => {
  writeFileSync(electron, 'no fuses in here');
  await expect(applyFuses(electron)).rejects.toThrow(/sentinel/);
});

test('leaves alone what would not start afterwards: the development binary, a folder', async () => {
  const before = makeBinary(DELIVERED);
  rmSync(join(folder, 'resources', 'app.asar'));
  await expect(applyFuses(electron)).rejects.toThrow(/app\.asar is missing/);
  expect(readFileSync(electron).equals(before)).toBe(true);
});

test('is a command that says what it did, and fails where it could not', () => {
  const script = fileURLToPath(new URL('./fuse.ts', import.meta.url));
  const fuse = (...args: string[]) => {
    const env = { ...process.env, INIT_CWD: folder };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--no-warnings', script, ...args],
      { env, encoding: 'utf8' },
    );
    return { status, text: stdout + stderr };
  };
  makeBinary(DELIVERED);
  expect(fuse('--check', 'stalltrace')).toMatchObject({
    status: 1,
    text: expect.stringContaining('RunAsNode is on and must be off.'),
  });
  expect(wireNow()).toBe(DELIVERED);
  expect(fuse('stalltrace')).toMatchObject({
    status: 0,
    text: expect.stringContaining('all 9 fuses are as they should be'),
  });
  expect(fuse('--check', 'stalltrace').status).toBe(0);
  expect(fuse('missing')).toMatchObject({
    status: 1,
    text: expect.stringContaining('does not exist'),
  });
  expect(fuse()).toMatchObject({ status: 1, text: expect.stringContaining('[--check] PATH') });
});

test('is described as it is', () => {
  const page = readFileSync(new URL('../docs/desktop.md', import.meta.url), 'utf8');
  for (const [name, { on, why }] of Object.entries(FUSES))
    expect(page).toContain(`| \`${name}\` | ${on ? 'on' : 'off'} | ${why} |`);
});
