import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kindOfFile } from '../../src-main/app/opening/kind-of-file.ts';
import { readArchive } from '../../src-main/archive/read-archive.ts';
import { hashFile } from '../../src-main/library/hash-file.ts';
import { readDatabaseHeader } from '../../src-main/trace/sqlite/database-header.ts';
import { hostilePaths } from '../fixtures/hostile/paths.ts';
import { openPathDoors, type PathDoors } from '../support/path-doors.ts';
import { describeWith } from '../support/requirements.ts';

const paths = hostilePaths('outside.js', 'index.html');
let open: PathDoors;

beforeAll(async () => {
  open = await openPathDoors();
});
afterAll(() => open.close());

test.each([
  'static files',
  'requests of the browser',
  'app:// requests of the desktop',
  'files opened by path',
  'names of entries of an archive',
  'names of files that are made',
  'links',
  'addresses of tables',
])('%s: what is let through is inside, the rest is refused', async (name) => {
  const door = open.doors.find((each) => each.name === name);
  if (door === undefined) throw new Error(`there is no door named ${name}`);
  const broken: string[] = [];
  for (const path of paths) {
    const outcome = await door.attempt(path);
    if (outcome.startsWith('BROKEN'))
      broken.push(`${JSON.stringify(path.slice(0, 120))}: ${outcome}`);
  }
  expect(broken).toEqual([]);
});

describeWith(['linux'], 'what is no plain file', () => {
  let folder: string;
  let server: Server;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stalltrace-specials-'));
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('pipe', join(folder, 'to-pipe'));
    symlinkSync('loop', join(folder, 'loop'));
    symlinkSync('nothing', join(folder, 'dangling'));
    mkdirSync(join(folder, 'folder.db'));
    server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ...['pipe', 'to-pipe', 'loop', 'dangling', 'folder.db', 'socket', 'pipe/x', 'folder.db/'],
    ...['/dev/zero', '/dev/full', '/dev/random', '/dev/stdin', '/dev/fd/0', '/dev/fd/99'],
    ...['/proc/self/mem', '/proc/self/environ', '/proc/self/root', '/proc/kmsg', '/proc/self/fd'],
  ])('%s is refused by every reader, without a wait', async (name) => {
    const path = resolve(folder, name);
    expect(await kindOfFile(path)).toBe('other');
    const context = { signal: new AbortController().signal, progress: () => undefined };
    const readers = [
      readDatabaseHeader(path),
      await hashFile(path, context),
      await readArchive(path, folder, context),
    ];
    for (const read of readers) {
      // What the kernel calls a file of no bytes has some: it is read to its end, which is soon.
      if (read.ok) expect(path).toMatch(/^\/proc\/self\/environ$/);
      else expect(read.error.message).toMatch(/^[^\n]+\.$/);
    }
  });
});
