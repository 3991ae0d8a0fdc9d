import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fileArguments } from './file-arguments.ts';

test('resolves the files of a development start', () => {
  const argv = ['/bin/electron', '--inspect', '.', 'a.db', '/tmp/b.db'];
  expect(fileArguments(argv, '/work', false)).toEqual([
    resolve('/work/a.db'),
    resolve('/tmp/b.db'),
  ]);
});

test('skips the switches that Chromium puts in a second instance’s way', () => {
  const argv = ['/opt/stalltrace', '--allow-file-access-from-files', 'a.db', '--no-first-run'];
  expect(fileArguments(argv, '/work', true)).toEqual([resolve('/work/a.db')]);
});

test('finds none in a plain start', () => {
  expect(fileArguments(['/bin/electron', '.'], '/work', false)).toEqual([]);
  expect(fileArguments(['/opt/stalltrace'], '/work', true)).toEqual([]);
});

test('takes a link as it is', () => {
  const argv = ['/opt/stalltrace', '--no-first-run', 'stalltrace:#investigation=3', 'b.db'];
  expect(fileArguments(argv, '/work', true)).toEqual([
    'stalltrace:#investigation=3',
    resolve('/work/b.db'),
  ]);
});
