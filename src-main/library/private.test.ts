import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { describeWith } from '../../test/support/requirements.ts';
import { backupsIn, catalogueOf, deadProcess, modeOf } from './testing/damage.ts';
import { noContext, testFolder, testLibrary, value } from './testing/test-library.ts';

const NOBODY = 65_534;

describeWith(['notWindows'], 'what the library keeps', () => {
  test('is for the user alone from its first moment, whatever the umask', async () => {
    const folder = join(testFolder(), 'data');
    const before = process.umask(0);
    try {
      const library = testLibrary(folder);
      await library.search();
      await library.add('trace');
      for (const suffix of ['', '-wal', '-shm']) {
        expect([suffix, modeOf(catalogueOf(folder) + suffix)]).toEqual([suffix, '600']);
      }
      await library.end();
      expect(modeOf(folder)).toBe('700');
      expect(modeOf(join(folder, 'backups'))).toBe('700');
      for (const name of backupsIn(folder))
        expect(modeOf(join(folder, 'backups', name))).toBe('600');
      expect(backupsIn(folder)).not.toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  test('is mended where an older version left it open; a folder of the user’s keeps its mode', async () => {
    const folder = testFolder();
    const first = testLibrary(folder);
    await first.add('trace');
    first.close();
    chmodSync(folder, 0o755);
    writeFileSync(`${catalogueOf(folder)}-wal`, '');
    for (const suffix of ['', '-wal']) chmodSync(catalogueOf(folder) + suffix, 0o644);
    mkdirSync(join(folder, 'files'));
    chmodSync(join(folder, 'files'), 0o755);
    const again = testLibrary(folder);
    expect(await again.search()).toEqual(['trace']);
    for (const suffix of ['', '-wal', '-shm']) {
      expect([suffix, modeOf(catalogueOf(folder) + suffix)]).toEqual([suffix, '600']);
    }
    expect(modeOf(join(folder, 'files'))).toBe('700');
    expect(modeOf(folder)).toBe('755');
  });
});

describeWith(['root'], 'in a folder that others may write', () => {
  /** A folder as /tmp is one, with a file of another user in it. */
  function sharedFolder(): { folder: string; theirs: string } {
    const folder = testFolder();
    chmodSync(folder, 0o1777);
    const theirs = join(folder, 'theirs');
    writeFileSync(theirs, '');
    chmodSync(theirs, 0o666);
    chownSync(theirs, NOBODY, NOBODY);
    return { folder, theirs };
  }

  const plants: [string, (path: string, theirs: string) => void][] = [
    ['a link to it', (path, theirs) => symlinkSync(theirs, path)],
    ['a hard link to it', (path, theirs) => linkSync(theirs, path)],
    ['a hard link as the log', (path, theirs) => linkSync(theirs, `${path}-wal`)],
    ['a link as the log', (path, theirs) => symlinkSync(theirs, `${path}-wal`)],
    ['a link as the shared memory', (path, theirs) => symlinkSync(theirs, `${path}-shm`)],
  ];
  test.each(plants)('%s is not followed, and not changed', async (_name, plant) => {
    const { folder, theirs } = sharedFolder();
    plant(catalogueOf(folder), theirs);
    const library = testLibrary(folder);
    const refused = await library.calls.list({}, noContext);
    expect(refused).toMatchObject({
      error: {
        message: expect.stringMatching(/belongs to another user.+: set STALLTRACE_DATA_DIR/),
      },
    });
    library.close();
    expect(readFileSync(theirs, 'utf8')).toBe('');
    expect(modeOf(theirs)).toBe('666');
  });

  test('a link of theirs is not followed, wherever it leads', async () => {
    const { folder } = sharedFolder();
    const target = join(folder, 'made');
    symlinkSync(target, catalogueOf(folder));
    lchownSync(catalogueOf(folder), NOBODY, NOBODY);
    const library = testLibrary(folder);
    expect(await library.calls.list({}, noContext)).toMatchObject({ ok: false });
    expect(existsSync(target)).toBe(false);
  });

  test('what they planted as a restore is not taken', async () => {
    const { folder, theirs } = sharedFolder();
    const planted = `${catalogueOf(folder)}.restoring-${deadProcess()}`;
    linkSync(theirs, planted);
    const library = testLibrary(folder);
    expect(await library.search()).toEqual([]);
    expect(existsSync(planted)).toBe(true);
  });

  test('a folder of theirs takes no backups, and gives none', async () => {
    const { folder } = sharedFolder();
    const backups = join(folder, 'backups');
    mkdirSync(backups);
    chownSync(backups, NOBODY, NOBODY);
    const library = testLibrary(folder);
    await library.add('trace');
    await library.end();
    expect(backupsIn(folder)).toEqual([]);
    const again = testLibrary(folder);
    const health = () => again.calls.health({}, noContext);
    await expect.poll(async () => value(await health()).backupProblem).toContain('another user');
  });

  test('the user’s own link is followed', async () => {
    const { folder } = sharedFolder();
    const real = join(testFolder(), 'real.db');
    new Database(real).close();
    writeFileSync(real, '');
    symlinkSync(real, catalogueOf(folder));
    const library = testLibrary(folder);
    await library.add('trace');
    expect(value(await library.calls.health({}, noContext)).state).toBe('ok');
    expect(modeOf(real)).toBe('600');
  });
});
