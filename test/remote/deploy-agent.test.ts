import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fillDisk, mountReadOnly, mountSmallDisk, unmountAll } from '../support/mount.ts';
import { sessionOver, tryOpen } from '../support/remote/open-session.ts';
import { personSaying } from '../support/remote/open-transport.ts';
import { SignedIn } from '../support/remote/signed-in.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import type { SshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

/** `users`, as good as any. */
const GROUP_OF_OTHERS = 100;

describeWith(['sshServer', 'agent', 'mount'], 'the agent on a host', () => {
  let server: SshHost;
  let here: SignedIn;

  beforeAll(async () => {
    server = await startSshHost();
    here = new SignedIn(server);
  });
  afterEach(async () => {
    unmountAll();
    await here.leave();
  });
  afterAll(() => server.stop());

  const filesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  /** Holds this thread until `isSo`. */
  function waitHere(isSo: () => boolean): void {
    const nobodyWrites = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; !isSo() && tries < 6000; tries++) Atomics.wait(nobodyWrites, 0, 0, 10);
  }
  /** `~/.cache` of the user on a disk of its own. */
  function ownCache(user: SshUser, sizeKiB: number): string {
    const cache = join(user.home, '.cache');
    mkdirSync(cache);
    mountSmallDisk(cache, sizeKiB);
    chownSync(cache, user.uid, user.uid);
    return cache;
  }

  test('is put there once, for its owner alone', async () => {
    const { link } = await here.user();
    const { session: cold } = await sessionOver(link);
    expect(cold.preflight.agent.uploaded).toBe(true);
    expect(statSync(cold.baseFolder).mode & 0o7777).toBe(0o700);
    expect(statSync(cold.agentPath).mode & 0o7777).toBe(0o700);
    expect(cold.agentPath.startsWith(`${cold.baseFolder}/agent/`)).toBe(true);
    const inode = statSync(cold.agentPath).ino;
    const { session: warm } = await sessionOver(link);
    expect(warm.preflight.agent.uploaded).toBe(false);
    expect(warm.agentPath).toBe(cold.agentPath);
    expect(statSync(warm.agentPath).ino).toBe(inode);
    expect(filesOf(cold.baseFolder)).toEqual(['.stalltrace', 'stalltrace-agent']);
  });

  test('is put there anew where its bytes are others', async () => {
    const { link } = await here.user();
    const { session } = await sessionOver(link);
    writeFileSync(session.agentPath, '#!/bin/sh\necho {}\n');
    const { session: again } = await sessionOver(link);
    expect(again.preflight.agent.uploaded).toBe(true);
    expect(statSync(again.agentPath).size).toBe(again.preflight.agent.sizeBytes);
  });

  test('is put there by two at once without harm', async () => {
    const { user, link } = await here.user();
    const others = [await here.link(user), await here.link(user)];
    const opened = await Promise.all([link, ...others].map((each) => sessionOver(each)));
    const [first] = opened;
    expect(new Set(opened.map(({ session }) => session.agentPath)).size).toBe(1);
    expect(filesOf(first?.session.baseFolder ?? '')).toEqual(['.stalltrace', 'stalltrace-agent']);
  });

  test('is not there under its name after the link and all behind it were cut', async () => {
    const { user, link } = await here.user();
    const base = join(user.home, '.cache', `stalltrace-remote-${user.uid}`);
    const { opened } = await tryOpen(link, personSaying().ask, {
      progress: (text) => {
        if (!/ KiB of /.test(text)) return;
        // Nothing more is sent before this returns: it can't be whole yet.
        waitHere(() => filesOf(base).length > 1);
        // At once: a shell that outlived the link would clean up after it.
        for (const signal of ['SIGSTOP', 'SIGKILL'] as const) server.signalConnections(signal);
      },
    });
    expect(opened).toMatchObject({ error: { code: 'link-lost' } });
    expect(filesOf(base)).not.toContain('stalltrace-agent');
    const { session } = await sessionOver(await here.link(user));
    expect(session.preflight.agent.uploaded).toBe(true);
    // What was left is removed by a later upload, when nobody can be writing it any more.
    const folder = dirname(session.agentPath);
    const left = filesOf(folder).filter((name) => name !== 'stalltrace-agent');
    for (const name of left) utimesSync(join(folder, name), 1, 1);
    writeFileSync(session.agentPath, 'other bytes');
    await sessionOver(await here.link(user));
    expect(left).toHaveLength(1);
    expect(filesOf(base)).toEqual(['.stalltrace', 'stalltrace-agent']);
  });

  test('goes elsewhere where the home allows no programs', async () => {
    const { user, link } = await here.user();
    const cache = ownCache(user, 64 * 1024);
    execFileSync('mount', ['-o', 'remount,noexec', cache]);
    const { session } = await sessionOver(link);
    expect(session.agentPath.startsWith(cache)).toBe(false);
    const row = session.preflight.rows.find(({ id }) => id === 'agent');
    expect(row?.detail).toContain(`${cache} allows no programs (noexec)`);
    expect(existsSync(join(cache, `stalltrace-remote-${user.uid}`))).toBe(false);
  });

  test('goes elsewhere where the disk is full', async () => {
    const { user, link } = await here.user();
    const cache = ownCache(user, 1024);
    fillDisk(cache);
    const { session } = await sessionOver(link);
    expect(session.agentPath.startsWith(cache)).toBe(false);
    const row = session.preflight.rows.find(({ id }) => id === 'agent');
    expect(row?.detail).toContain(`${cache} is full`);
  });

  test('goes elsewhere where the home is read-only', async () => {
    const { user, link } = await here.user();
    mountReadOnly(user.home);
    const { session } = await sessionOver(link);
    expect(session.agentPath.startsWith(user.home)).toBe(false);
    const row = session.preflight.rows.find(({ id }) => id === 'agent');
    expect(row?.detail).toContain(`${user.home}/.cache is read-only`);
  });

  test('does not follow what others put in our folder’s place', async () => {
    const { user, link } = await here.user();
    mountReadOnly(user.home);
    const name = `stalltrace-remote-${user.uid}`;
    const trap = join('/tmp', `trap-${user.uid}`);
    mkdirSync(trap, { mode: 0o777 });
    chownSync(trap, user.uid, user.uid);
    symlinkSync(trap, join('/var/tmp', name));
    mkdirSync(join('/tmp', name), { mode: 0o700 });
    const { session } = await sessionOver(link);
    expect(session.agentPath.startsWith('/dev/shm/')).toBe(true);
    const rows = JSON.stringify(session.preflight.rows);
    expect(rows).toContain('/var/tmp has a link');
    expect(rows).toContain('/tmp has another user’s folder');
    expect(rows).toContain('which is memory');
    expect(readdirSync(trap)).toEqual([]);
    execFileSync('rm', ['-rf', trap]);
  });

  test('goes elsewhere where others could replace it', async () => {
    const { user, link } = await here.user();
    const cache = join(user.home, '.cache');
    mkdirSync(cache);
    chownSync(cache, user.uid, user.uid);
    // The user's own group, as with a umask of 002.
    chmodSync(cache, 0o775);
    const { session } = await sessionOver(link);
    expect(session.agentPath.startsWith(`${cache}/`)).toBe(true);
    for (const [folder, gid, mode] of [
      [cache, GROUP_OF_OTHERS, 0o775],
      [user.home, user.uid, 0o777],
    ] as const) {
      chownSync(folder, user.uid, gid);
      chmodSync(folder, mode);
      const { session: next } = await sessionOver(link);
      expect(next.agentPath.startsWith(`${cache}/`)).toBe(false);
      expect(JSON.stringify(next.preflight.rows)).toContain(`${cache} can be written to by others`);
      chownSync(folder, user.uid, user.uid);
      chmodSync(folder, 0o755);
    }
  });

  test('leaves nothing where nothing can be written', async () => {
    const { user, link } = await here.user();
    mountReadOnly(user.home);
    for (const place of ['/tmp', '/var/tmp', '/dev/shm']) {
      mkdirSync(join(place, `stalltrace-remote-${user.uid}`), { mode: 0o700 });
    }
    const { opened } = await tryOpen(link);
    expect(opened).toMatchObject({
      error: { code: 'no-place', message: expect.stringContaining('read-only') },
    });
  });

  test('is none where the app has none', async () => {
    const { user, link } = await here.user();
    const { opened } = await tryOpen(link, personSaying().ask, { agentsFolder: user.home });
    expect(opened).toMatchObject({ error: { code: 'no-agent-built' } });
  });

  test('is not waited for when that is cancelled', async () => {
    const { link } = await here.user();
    const owner = new AbortController();
    const { opened } = await tryOpen(link, personSaying().ask, {
      signal: owner.signal,
      progress: (text) => {
        if (text.startsWith('Putting')) owner.abort();
      },
    });
    expect(opened).toMatchObject({ error: { code: 'cancelled' } });
  });
});
