import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { describeWith } from '../../../../test/support/requirements.ts';
import { openGuarded } from '../../sqlite/guard-database.ts';
import { ExportTables, processIn, threadIn } from './export-tables.ts';
import { RUNTIME, task, useExports } from './testing/exported.ts';

const { exported } = useExports();

const TABLE = 'CUPTI_ACTIVITY_KIND_RUNTIME';
const columns = ['start', 'end', 'callchainId', processIn('globalTid'), threadIn('globalTid')];

async function readAll(path: string, leastRows: number) {
  const database = openGuarded(pathToFileURL(path));
  const tables = new ExportTables(database, { leastRows });
  const rows: number[][] = [];
  for (const { count, cells } of tables.pages(TABLE, columns))
    for (let at = 0; at < count; at++) rows.push(cells.map((column) => column[at]));
  const { nativeChunks } = tables;
  await tables.end();
  database.close();
  return { rows, nativeChunks };
}

describeWith(['nativeCode'], 'a large table', () => {
  test('is read by native code, which gives the same cells', async () => {
    const path = exported(`${RUNTIME} INSERT INTO ${TABLE} (start, end, globalTid) VALUES
      (1, 2, ${task(77, 78)}), (NULL, 'late', ${task(1, 2)}), (5, 1.5, 'nobody');`);
    const alone = await readAll(path, 4);
    expect(alone).toEqual({
      nativeChunks: 0,
      rows: [
        // There is no callchainId in this export.
        [1, 2, -Infinity, 77, 78],
        [-Infinity, Number.NaN, -Infinity, 1, 2],
        [5, 1.5, -Infinity, 0, 0],
      ],
    });
    expect(await readAll(path, 1)).toEqual({ ...alone, nativeChunks: 1 });
  });
});
