import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentSchemaHeader } from '../../src-main/trace/formats/stalltrace/agent-schema.ts';
import { updateFormatDoc } from '../../src-main/trace/formats/stalltrace/format-doc.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { simulateDataloaderStarvation } from '../simulation/scenario.ts';

const document = readFileSync(resolve(import.meta.dirname, '../../docs/format.md'), 'utf8');
const queries = [...document.matchAll(/```sql\n(.*?)```/gs)].map(([, query = '']) => query);

let folder = '';
let database: DatabaseSync;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-format-'));
  const path = join(folder, 'sample.db');
  expect(writeTraceFile(path, simulateDataloaderStarvation()).ok).toBe(true);
  database = new DatabaseSync(path, { readOnly: true });
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

test('agent/generated/schema.h is up to date: node scripts/write-format-doc.ts', () => {
  const header = resolve(import.meta.dirname, '../../agent/generated/schema.h');
  expect(agentSchemaHeader()).toBe(readFileSync(header, 'utf8'));
});

describe('docs/format.md', () => {
  test('is up to date: node scripts/write-format-doc.ts', () => {
    expect(updateFormatDoc(document)).toBe(document);
  });

  test.each(queries)('has a query that answers something: %s', (query) => {
    expect(database.prepare(query).all().length).toBeGreaterThan(0);
  });

  test('names in its query the tasks that ran while the slowest copy waited', () => {
    const names = database
      .prepare(queries[1] ?? '')
      .all()
      .map((row) => row.name);
    expect(names).toContain('pt_data_worker');
  });

  test('lists every column of a file in the README table inside it', () => {
    const columns = database
      .prepare(`SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
        EXCEPT SELECT table_name, column_name FROM README WHERE meaning <> ''`)
      .all();
    expect(columns).toEqual([]);
  });
});
