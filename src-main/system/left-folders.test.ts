import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeWith } from '../../test/support/requirements.ts';
import { signFolder } from './left-folders.ts';
import { processIdentityOf } from './process-identity.ts';
import { SocketFolder } from './temporary-folder.ts';

const ID = '01234567-89ab-4cde-8f01-23456789abcd';
let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'left-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const { pid: endedPid } = spawnSync(process.execPath, ['-e', '0']);
const ended = { ...processIdentityOf(), pid: endedPid };

/** What a host leaves that is killed: its folder with a socket in it. */
function leave(name: string, owner: unknown = ended, mode = 0o700): string {
  const path = join(base, name);
  mkdirSync(path, { mode });
  chmodSync(path, mode);
  writeFileSync(join(path, 'a.sock'), '');
  if (owner !== null) writeFileSync(join(path, 'owner.json'), JSON.stringify(owner));
  return path;
}

/** The names that are there once a host has started; without that of its own folder. */
async function namesAfterStart(): Promise<string[]> {
  const sockets = new SocketFolder(() => [base]);
  expect(await sockets.socketPath(ID)).toMatchObject({ ok: true });
  await sockets.remove();
  return readdirSync(base).sort();
}

describeWith(['notWindows'], 'folders of sockets', () => {
  test('of a killed host go at the next start, those of a living one stay', async () => {
    leave('stalltrace-KILLED');
    leave('stalltrace-living', processIdentityOf(process.ppid));
    leave('stalltrace-elsewh', { ...ended, place: 'another machine' });
    expect(await namesAfterStart()).toEqual(['stalltrace-living', 'stalltrace-elsewh'].sort());
  });

  test('are signed by their host, for this user only', async () => {
    const sockets = new SocketFolder(() => [base]);
    await sockets.socketPath(ID);
    const folder = join(base, readdirSync(base)[0] ?? '');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const owner = join(folder, 'owner.json');
    expect(statSync(owner).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(owner, 'utf8'))).toEqual(processIdentityOf());
    await expect(signFolder(folder)).rejects.toThrow('EEXIST');
    await sockets.remove();
  });

  test('that others planted stay, and nothing they lead to is touched', async () => {
    const precious = join(base, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'owner.json'), JSON.stringify(ended));
    symlinkSync(precious, join(base, 'stalltrace-linked'.slice(0, 17)));
    leave('stalltrace-open07', ended, 0o755);
    leave('stalltrace-nosign', null);
    leave('stalltrace-broken', 'x'.repeat(5000));
    leave('stalltrace-longer-name');
    const linkedOwner = leave('stalltrace-ownlnk', null);
    symlinkSync(join(precious, 'owner.json'), join(linkedOwner, 'owner.json'));
    writeFileSync(join(base, 'stalltrace-afile0'), '');
    const before = readdirSync(base, { recursive: true }).sort();
    await namesAfterStart();
    expect(readdirSync(base, { recursive: true }).sort()).toEqual(before);
  });

  test('that lead out of themselves lose only themselves', async () => {
    const precious = join(base, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), 'x');
    symlinkSync(precious, join(leave('stalltrace-KILLED'), 'link'));
    expect(await namesAfterStart()).toEqual(['precious']);
    expect(readdirSync(precious)).toEqual(['file']);
  });

  test('that were never signed go when they are old and empty', async () => {
    const [old, young, full] = ['stalltrace-oldone', 'stalltrace-young0', 'stalltrace-fullof'].map(
      (name) => join(base, name),
    ) as [string, string, string];
    for (const path of [old, young, full]) mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(full, 'x'), '');
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
    for (const path of [old, full]) utimesSync(path, twoDaysAgo, twoDaysAgo);
    expect(await namesAfterStart()).toEqual(['stalltrace-fullof', 'stalltrace-young0']);
  });
});

describeWith(['root'], 'folders of another user', () => {
  test('stay', async () => {
    const path = leave('stalltrace-other0');
    spawnSync('chown', ['-R', '65534', path]);
    expect(await namesAfterStart()).toEqual(['stalltrace-other0']);
  });
});
