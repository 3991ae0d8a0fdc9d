import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Pages that say which test holds what they promise: by the end of its path, as much as tells it from others. */
test.each(['SECURITY.md', 'docs/desktop.md'])('each test that %s names is one', (page) => {
  const files = globSync(['{src-main,src-renderer,scripts,test}/**/*.test.ts', 'agent/test/*.c']);
  const paths = files.map((file) => `/${file.replaceAll('\\', '/')}`);
  const named = [...readFileSync(page, 'utf8').matchAll(/`([\w/-]+\.(?:test\.ts|c))`/g)];
  expect(named.length).toBeGreaterThan(3);
  const found = named.map(([, name = '']) => ({
    name,
    files: paths.filter((path) => path.endsWith(`/${name}`)),
  }));
  expect(found.filter(({ files: { length } }) => length !== 1)).toEqual([]);
});
