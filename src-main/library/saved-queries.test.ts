import { expect, test } from 'vitest';
import { MAX_SAVED_QUERIES, queryName } from '../shared/library/saved-query.ts';
import { noContext, testFolder, testLibrary, value } from './testing/test-library.ts';

test('statements are kept by name, whatever is in it, over a restart', async () => {
  const folder = testFolder();
  const { calls, close } = testLibrary(folder);
  const hostile = `'; DROP TABLE saved_query; --`;
  await calls.putQuery({ name: hostile, text: 'SELECT 1' }, noContext);
  await calls.putQuery({ name: 'b', text: 'first' }, noContext);
  await calls.putQuery({ name: 'b', text: 'SELECT\t2\n-- \ud800' }, noContext);
  await calls.putQuery({ name: 'A', text: '' }, noContext);
  close();
  const again = testLibrary(folder).calls;
  expect(value(await again.savedQueries({}, noContext))).toEqual([
    { name: hostile, text: 'SELECT 1' },
    { name: 'A', text: '' },
    { name: 'b', text: 'SELECT\t2\n-- �' },
  ]);
  await again.removeQuery({ name: hostile }, noContext);
  await again.removeQuery({ name: 'not there' }, noContext);
  expect(value(await again.savedQueries({}, noContext))).toHaveLength(2);
});

test('there is a most of them, which one that is there already can still replace', async () => {
  const { calls } = testLibrary();
  for (let at = 0; at < MAX_SAVED_QUERIES; at++)
    value(await calls.putQuery({ name: `q${at}`, text: 'SELECT 1' }, noContext));
  const one = await calls.putQuery({ name: 'one more', text: 'SELECT 1' }, noContext);
  expect(one).toMatchObject({ ok: false, error: { code: 'too-many-queries' } });
  value(await calls.putQuery({ name: 'q7', text: 'SELECT 7' }, noContext));
});

test('a name is one line without what can’t be seen, and not empty', () => {
  expect(queryName.parse(' a\nb\u202e ')).toBe('a␊b�');
  expect(queryName.safeParse('   ').success).toBe(false);
  expect(queryName.safeParse('x'.repeat(201)).success).toBe(false);
});
