import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sourcesDigest } from './sources.mjs';

let root: string;

function write(name: string, text: string): void {
  const path = join(root, 'agent', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stalltrace-sources-'));
  write('Makefile', 'all:\n\tcc\n');
  write('src/main.c', 'int main(void)\n{\n}\n');
  write('inside/libc.symbols', 'memcpy 2.14\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ['a changed file', () => write('src/main.c', 'int main(void)\n{\n\treturn 1;\n}\n')],
  ['a file more', () => write('src/probe/new.c', '')],
  ['a file less', () => rmSync(join(root, 'agent/inside/libc.symbols'))],
  [
    'a file of another name',
    () => renameSync(join(root, 'agent/src/main.c'), join(root, 'agent/src/begin.c')),
  ],
  ['a file of a new kind', () => write('inside/exports.map', '{ local: *; };\n')],
])('%s is another digest', (_what, change) => {
  const before = sourcesDigest(root);
  change();
  expect(sourcesDigest(root)).not.toBe(before);
});

test.each([
  ['a test', () => write('test/json_test.c', 'int main(void) {}\n')],
  ['a page', () => write('README.md', '# The agent\n')],
  ['what an editor leaves', () => write('src/.main.c.swp', 'x')],
  ['lines that end as on Windows', () => write('src/main.c', 'int main(void)\r\n{\r\n}\r\n')],
])('%s is the same digest', (_what, change) => {
  const before = sourcesDigest(root);
  change();
  expect(sourcesDigest(root)).toBe(before);
});

test('another folder is the same digest', () => {
  const elsewhere = join(root, 'some', 'where');
  cpSync(join(root, 'agent'), join(elsewhere, 'agent'), { recursive: true });
  expect(sourcesDigest(elsewhere)).toBe(sourcesDigest(root));
});
