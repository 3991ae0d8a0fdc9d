import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFileKey } from './file-keys.ts';
import { readKeyFile } from './key-file.ts';
import { wireString } from './ssh-wire.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-key-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const path = join(folder, 'key');
  writeFileSync(path, text);
  return path;
}

/** A file in OpenSSH's format whose first public key is of `type`. */
function openSshFile(type: string, cipher = 'none'): string {
  const words = [cipher, cipher === 'none' ? 'none' : 'bcrypt', ''].map(wireString);
  const blob = wireString(Buffer.concat([wireString(type), wireString(Buffer.alloc(32))]));
  const bytes = [Buffer.from('openssh-key-v1\0'), ...words, Buffer.from([0, 0, 0, 1]), blob];
  const base64 = Buffer.concat(bytes).toString('base64');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${base64}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

describe('a key file', () => {
  it('of a security key is for the system’s ssh', async () => {
    const path = written(openSshFile('sk-ssh-ed25519@openssh.com'));
    expect(await readKeyFile(path)).toMatchObject({
      error: { code: 'needs-system-ssh', message: expect.stringContaining('security key') },
    });
  });

  it('tells its public part and whether it is encrypted, without being opened', async () => {
    const read = await readKeyFile(written(openSshFile('ssh-ed25519', 'aes256-ctr')));
    expect(read).toMatchObject({ ok: true, value: { encrypted: true } });
  });

  it('with nothing behind its public part is damaged', async () => {
    const read = await readKeyFile(written(openSshFile('ssh-ed25519')));
    const opened = read.ok ? read.value.open() : read;
    expect(opened).toMatchObject({ error: { code: 'key-unreadable' } });
  });

  for (const [name, text] of [
    ['empty', ''],
    ['cut off', openSshFile('ssh-ed25519').slice(0, 80)],
    ['a PEM frame around nothing', '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n'],
    ['PuTTY’s version 3', 'PuTTY-User-Key-File-3: ssh-ed25519\r\n'],
    ['PuTTY’s version 2 of Ed25519', 'PuTTY-User-Key-File-2: ssh-ed25519\r\n'],
    ['a public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 me'],
    ['something else', '{"key": "canary-secret"}'],
  ] as const)
    it(`that is ${name} says so, and quotes nothing of it`, async () => {
      const read = await readKeyFile(written(text));
      expect(read).toMatchObject({ ok: false, error: { code: 'key-unreadable' } });
      expect(JSON.stringify(read)).not.toContain('canary');
    });

  it('that is a pipe or a device is not read', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero', folder]) {
      expect(await readKeyFile(path)).toMatchObject({ error: { code: 'key-unreadable' } });
    }
    const path = join(folder, 'other');
    execFileSync('mkfifo', [`${path}.pub`]);
    expect(await loadFileKey(path, async () => undefined)).toMatchObject({
      problem: { code: 'key-unreadable' },
    });
  });

  it('that is not there is missing', async () => {
    expect(await readKeyFile(join(folder, 'none'))).toMatchObject({ error: { code: 'missing' } });
  });
});
