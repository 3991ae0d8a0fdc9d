import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

/** Pages that say which test holds what they promise. */
test.each(['SECURITY.md', 'docs/desktop.md'])('the tests that %s names exist', (page) => {
  const files = globSync(['{src-main,src-renderer,scripts,test}/**/*.test.ts', 'agent/test/*.c']);
  const existing = new Set(files.map((file) => basename(file)));
  const named = [...readFileSync(page, 'utf8').matchAll(/`([\w-]+\.(?:test\.ts|c))`/g)];
  expect(named.length).toBeGreaterThan(3);
  expect(named.map(([, name = '']) => name).filter((name) => !existing.has(name))).toEqual([]);
});
