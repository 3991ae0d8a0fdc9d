import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeWith } from '../../test/support/requirements.ts';
import { moveToTrash } from './freedesktop-trash.ts';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const now = new Date(2026, 0, 2, 3, 4, 5);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-trash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function trash(path: string): Promise<void> {
  return moveToTrash(path, { environment: { XDG_DATA_HOME: at('data') }, now });
}

function make(...names: string[]): string {
  const path = at(...names);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, names.join('/'));
  return path;
}

const infoOf = (name: string) => readFileSync(at('data/Trash/info', `${name}.trashinfo`), 'utf8');

describeWith(['notWindows'], 'the trash of the home', () => {
  test('takes a file and says where it was, and when', async () => {
    const path = make('traces', 'run 100% “é”.db');
    await trash(path);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(at('data/Trash/files'))).toEqual(['run 100% “é”.db']);
    const escaped = `${folder}/traces/run%20100%25%20%E2%80%9C%C3%A9%E2%80%9D.db`;
    expect(infoOf('run 100% “é”.db')).toBe(
      `[Trash Info]\nPath=${escaped}\nDeletionDate=2026-01-02T03:04:05\n`,
    );
    expect(lstatSync(at('data/Trash')).mode & 0o777).toBe(0o700);
  });

  test('gives each file of a name its own, also beside what others left there', async () => {
    make('data/Trash/files', 'a 2.db');
    for (const place of ['one', 'two', 'three']) await trash(make(place, 'a.db'));
    expect(readdirSync(at('data/Trash/files')).sort()).toEqual(
      ['a 2.db', 'a 3.db', 'a 4.db', 'a.db'].sort(),
    );
    expect(infoOf('a 4.db')).toContain(`Path=${folder}/three/a.db\n`);
    expect(existsSync(at('data/Trash/info/a 2.db.trashinfo'))).toBe(false);
  });

  test('takes files of one name at the same time', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => make(String(index), 'a.db'));
    await Promise.all(paths.map(trash));
    expect(readdirSync(at('data/Trash/files'))).toHaveLength(20);
    expect(readdirSync(at('data/Trash/info'))).toHaveLength(20);
  });

  test('takes a link, not what it leads to, and the longest name there is', async () => {
    const target = make('target.db');
    symlinkSync(target, at('link.db'));
    await trash(at('link.db'));
    expect(existsSync(target)).toBe(true);
    await trash(make('x', `${'漢'.repeat(83)}.db`));
    expect(readdirSync(at('data/Trash/files'))).toHaveLength(2);
  });

  test('has nothing of a file that is not there', async () => {
    await expect(trash(at('gone.db'))).rejects.toThrow('ENOENT');
    expect(existsSync(at('data/Trash'))).toBe(false);
  });
});

describeWith(['root', 'notWindows'], 'the trash of another disk', () => {
  let disk: string;

  beforeEach(() => {
    disk = at('disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  });
  afterEach(() => execFileSync('umount', [disk]));

  const own = `.Trash-${process.getuid?.()}`;

  test('is there, with a relative path', async () => {
    await trash(make('disk', 'deep', 'a b.db'));
    expect(readdirSync(join(disk, own, 'files'))).toEqual(['a b.db']);
    const info = readFileSync(join(disk, own, 'info', 'a b.db.trashinfo'), 'utf8');
    expect(info).toContain('Path=deep/a%20b.db\n');
  });

  test('is the shared one where that was made for all, and no trap', async () => {
    mkdirSync(join(disk, '.Trash'));
    await trash(make('disk', 'before.db'));
    chmodSync(join(disk, '.Trash'), 0o1777);
    await trash(make('disk', 'after.db'));
    expect(readdirSync(join(disk, own, 'files'))).toEqual(['before.db']);
    const shared = join(disk, '.Trash', String(process.getuid?.()), 'files');
    expect(readdirSync(shared)).toEqual(['after.db']);
  });

  test('is the home where the disk has none of ours, by a copy', async () => {
    symlinkSync(at('elsewhere'), join(disk, own));
    mkdirSync(at('elsewhere'));
    const path = make('disk', 'a.db');
    await trash(path);
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(at('data/Trash/files/a.db'), 'utf8')).toBe('disk/a.db');
  });
});
