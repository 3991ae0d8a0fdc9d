import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostilePaths } from '../fixtures/hostile/paths.ts';
import { openPathDoors, type PathDoors } from '../support/path-doors.ts';

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
