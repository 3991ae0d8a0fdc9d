import { expect, test } from 'vitest';
import type { SavedQuery } from '../../../src-main/shared/library/saved-query.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { SavedQueries } from './saved-queries.svelte.ts';

test('a statement that is kept is there for all windows, and comes back when it is removed by mistake', async () => {
  const kept = new Map<string, SavedQuery>();
  const fake = new FakeApi()
    .answer('sql.saved', () => ok([...kept.values()]))
    .answer('sql.save', (query) => {
      kept.set(query.name, query);
      return ok(query);
    })
    .answer('sql.remove', ({ name }) => {
      kept.delete(name);
      return ok(null);
    });
  const toasts = new Toasts();
  const queries = new SavedQueries(fake.api, toasts);
  await queries.load();
  expect(await queries.save('<b>one', 'SELECT 1')).toBeUndefined();
  expect(queries.all).toEqual([{ name: '<b>one', text: 'SELECT 1' }]);
  await queries.remove({ name: '<b>one', text: 'SELECT 1' });
  expect(queries.all).toEqual([]);
  const [removal] = toasts.items.toReversed();
  if (removal !== undefined) toasts.act(removal.id);
  await expect.poll(() => queries.all).toEqual([{ name: '<b>one', text: 'SELECT 1' }]);
  fake.answer('sql.save', () => fail('too-many-queries', 'Too many.'));
  expect(await queries.save('two', '')).toMatchObject({ message: 'Too many.' });
  const long = await queries.save('three', 'x'.repeat(100_001));
  expect(long?.message).toContain('at most 100,000 characters');
});
