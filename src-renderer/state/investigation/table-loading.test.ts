import { expect, test } from 'vitest';
import { ok } from '../../../src-main/shared/rpc/result.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { isLoadedInPart, loadTables } from './table-loading.ts';

/** The columns that are fetched, by table, in the order in which tables are. */
async function fetched(rows: Parameters<typeof fakeSummary>[0]) {
  const columns = new Map<string, readonly string[]>();
  const fake = new FakeApi();
  fake.columns = async (_traceId, table, names) => {
    columns.set(table, names ?? []);
    return ok({});
  };
  const { signal } = new AbortController();
  await loadTables(fake.api, 'a', fakeSummary(rows), signal, () => undefined);
  return columns;
}

test('calls come first, then waits, with all that the colour of a state depends on', async () => {
  const columns = await fetched({ off_cpu: 1, gpu_work: 1, cuda_call: 1 });
  expect([...columns.keys()]).toEqual(['cuda_call', 'off_cpu', 'gpu_work']);
  const drawn = ['startNs', 'durationNs', 'thread', 'state', 'runQueueNs', 'ioWait'];
  expect(columns.get('off_cpu')).toEqual(expect.arrayContaining(drawn));
});

test('what is looked up by the row is not fetched for all rows', async () => {
  const columns = await fetched({ off_cpu: 1, gpu_work: 1 });
  expect(columns.get('off_cpu')).not.toContain('executedNs');
  expect(columns.get('gpu_work')).not.toContain('gridX');
  expect([isLoadedInPart('gpu_work'), isLoadedInPart('on_cpu')]).toEqual([true, false]);
});

test('a table that no screen shows is not fetched', async () => {
  expect([...(await fetched({ wakeup: 1, off_cpu: 1 })).keys()]).toEqual(['off_cpu']);
});
