import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { silentSkips } from './silent-skips.ts';

test('no test is left out, tried again or passed over without a word', () => {
  const files = globSync('{src-main,src-renderer,scripts,test}/**/*.test.ts');
  expect(files.length).toBeGreaterThan(300);
  const found = files
    .filter((file) => !file.endsWith('silent-skips.test.ts'))
    .flatMap((file) =>
      silentSkips(readFileSync(file, 'utf8')).map(({ line, text }) => `${file}:${line}: ${text}`),
    );
  expect(found).toEqual([]);
});

test.each([
  "test.skip('later', () => {});",
  "it.only('this one', () => {});",
  "describe.runIf(process.platform === 'linux')('x', () => {});",
  "test.skipIf(isRoot).each([1])('x', () => {});",
  "    context.skip('it is not installed');",
  '    retry: 2,',
  '  test(name, { retry: 2 }, async () => {});',
  "    if (process.getuid?.() === 0 || process.platform === 'win32') return;",
])('%s is found', (source) => {
  expect(silentSkips(`\n${source}`)).toEqual([{ line: 2, text: source.trim() }]);
});

test.each([
  "describeWith(['linux'], 'x', () => {});",
  'if (status === undefined) return;',
  "if (process.platform === 'linux') expect(output).toMatch(reason);",
  'expect(answer).toEqual({ retry: 0 });',
])('%s is none', (source) => {
  expect(silentSkips(source)).toEqual([]);
});
