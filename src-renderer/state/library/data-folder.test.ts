import { expect, test } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { DataFolder } from './data-folder.svelte.ts';

test('another folder is the one from the next start on, a refusal leaves all as it was', async () => {
  const here = { path: '/home/me/data', from: 'platform' } as const;
  const fake = new FakeApi()
    .answer('settings.dataFolder', () => ok(here))
    .answer('settings.moveDataFolder', ({ path }) =>
      path === '/full' ? fail('disk-full', 'There is no room.') : ok({ ...here, next: path }),
    );
  const folder = new DataFolder(fake.api);
  await folder.load();
  expect(await folder.move('/full', true)).toBe(false);
  expect([folder.info, folder.failure?.message]).toEqual([here, 'There is no room.']);
  expect(await folder.move('/big', true)).toBe(true);
  expect([folder.info?.next, folder.failure, folder.busy]).toEqual(['/big', undefined, false]);
});

test('a dialog that is closed chooses nothing', async () => {
  const fake = new FakeApi().answer('settings.chooseFolder', () => ok(null));
  expect(await new DataFolder(fake.api).choose()).toBeUndefined();
});
