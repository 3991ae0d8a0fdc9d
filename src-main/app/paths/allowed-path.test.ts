import { expect, test } from 'vitest';
import { fakePlatform } from '../testing/fake-platform.ts';
import { allowedPath } from './allowed-path.ts';

const platform = { ...fakePlatform().platform, mayOpen: () => false, openFolders: ['/home/ada'] };

async function refusalOf(path: string): Promise<string> {
  const allowed = await allowedPath(platform, path);
  return allowed.ok ? '' : allowed.error.message;
}

test('a refusal says what to do, in one command', async () => {
  expect(await refusalOf('/not there/run.db')).toMatch(
    /^\/not there\/run\.db is outside .+ \(\/home\/ada\): drop .+ `npm start -- --root "\/not there"` or .+\.$/,
  );
});

test.each([
  '$(touch x)',
  '`id`',
  'a"; id; "',
  "a'b",
  'a\\',
  'a!b',
  'a\u001b[31m',
  'a\nb',
  'a\u202eb',
])('a folder named %j is in no command, and acts on no terminal', async (name) => {
  const message = await refusalOf(`/gone/${name}/run.db`);
  expect(message).toMatch(/start again with its folder as another --root\.$/);
  expect(message).not.toMatch(/\p{Cc}|\u202e/u);
});

test('a path longer than any is told in part', async () => {
  expect((await refusalOf(`/${'a/'.repeat(30_000)}`)).length).toBeLessThan(3_000);
});
