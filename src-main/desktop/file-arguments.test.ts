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

test('takes what stands after -- as it is: a file that looks like an option, a link', () => {
  expect(fileArguments(['/opt/stalltrace', '--', '-run.db'], '/work', true)).toEqual([
    resolve('/work/-run.db'),
  ]);
  const development = ['/bin/electron', '--no-first-run', '.', '--', 'stalltrace:#investigation=3'];
  expect(fileArguments(development, '/work', false)).toEqual(['stalltrace:#investigation=3']);
});

test.each([
  ['--no-sandbox'],
  ['--gpu-launcher=calc.exe'],
  ['\\\\evil.example\\share\\x.db'],
  ['/etc/passwd'],
  ['--', '/etc/passwd'],
  ['stalltrace:#investigation=4'],
])('takes of a hostile link that ended its argument the link alone: %s', (...more) => {
  const argv = ['/opt/stalltrace', '--', 'stalltrace:#investigation=3', ...more];
  expect(fileArguments(argv, '/work', true)).toEqual(['stalltrace:#investigation=3']);
});
