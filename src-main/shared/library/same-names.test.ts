import { expect, test } from 'vitest';
import { foldersOfSameNames, nameInFolder } from './same-names.ts';

const entry = (id: number, path: string, storage: 'referenced' | 'copied' = 'referenced') => ({
  ...{ id, path, storage },
  name: path.split(/[/\\]/).at(-1) ?? '',
});

test('names that several have are told apart by their folders, unless the library made those', () => {
  const folders = foldersOfSameNames([
    entry(1, '/jobs/first/run.db'),
    entry(2, 'C:\\jobs\\second\\run.db'),
    entry(3, '/data/files/12ab/run.db', 'copied'),
    entry(4, 'run.db'),
    entry(5, '/jobs/first/other.db'),
    { ...entry(6, '/data/files/34cd/run.db', 'copied'), folder: 'third' },
  ]);
  expect([...folders]).toEqual([
    [1, 'first'],
    [2, 'second'],
    [6, 'third'],
  ]);
  expect(nameInFolder('run.db', folders.get(1))).toBe('run.db in first');
  expect(nameInFolder('other.db', folders.get(5))).toBe('other.db');
});

test('folders of one name with those above them, as far as it takes', () => {
  const folders = foldersOfSameNames([
    entry(1, '/a/x/out/run.db'),
    entry(2, '/b/x/out/run.db'),
    entry(3, '/b/y/run.db'),
  ]);
  expect([...folders.values()]).toEqual(['a/x/out', 'b/x/out', 'y']);
});
