import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import type { StatementCell } from '../shared/answers/statement.ts';
import { ColumnKinds, ParquetRows, parquetFile } from './parquet-rows.ts';

type Rows = readonly (readonly StatementCell[])[];

/** The file of groups of rows, as a reader of its own finds it. */
async function written(columns: readonly string[], ...groups: readonly Rows[]) {
  const kinds = new ColumnKinds(columns);
  for (const rows of groups) kinds.see(rows);
  const file = new ParquetRows(columns, kinds.all);
  const parts: Uint8Array[] = [];
  for (const rows of groups) parts.push(await file.rows(rows));
  parts.push(await file.end());
  const bytes = Buffer.concat(parts);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { row_groups: found, schema } = parquetMetadata(buffer);
  return {
    rows: await parquetReadObjects({ file: buffer }),
    groups: found.length,
    types: schema.slice(1).map(({ name, type }) => `${name} ${type}`),
  };
}

describe('a Parquet file', () => {
  test('keeps every ns, numbers with a fraction, texts and what is not known', async () => {
    const ns = 2 ** 53 - 1;
    const { rows, types, groups } = await written(
      ['start_ns', 'share', 'name', 'never'],
      [
        [ns, 0.5, 'cudaMemcpyAsync', null],
        [-7, 2, 'naïve 🚀', null],
      ],
      [[null, null, null, null]],
    );
    expect(types).toEqual(['start_ns INT64', 'share DOUBLE', 'name BYTE_ARRAY', 'never INT64']);
    expect(groups).toBe(2);
    expect(rows).toEqual([
      { start_ns: BigInt(ns), share: 0.5, name: 'cudaMemcpyAsync', never: null },
      { start_ns: -7n, share: 2, name: 'naïve 🚀', never: null },
      { start_ns: null, share: null, name: null, never: null },
    ]);
  });

  test('has one kind a column, whatever SQLite has in it, and one name', async () => {
    const { rows, types } = await written(
      ['a', 'a', 'a'],
      [[1, 1, 1]],
      [[2.5, 'two', '9223372036854775807']],
    );
    expect(types).toEqual(['a DOUBLE', 'a_2 BYTE_ARRAY', 'a_3 BYTE_ARRAY']);
    expect(rows).toEqual([
      { a: 1, a_2: '1', a_3: '1' },
      { a: 2.5, a_2: 'two', a_3: '9223372036854775807' },
    ]);
  });

  test('without a row still has its columns', async () => {
    const { rows, types } = await written(['a', 'b'], []);
    expect([rows, types]).toEqual([[], ['a INT64', 'b INT64']]);
  });

  test('of an answer that is at hand is the same file', async () => {
    const rows = [
      [1, 'one', null],
      [2.5, null, null],
    ];
    const bytes = Buffer.concat(await parquetFile(['a', 'a', 'never'], rows));
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const expected = await written(['a', 'a', 'never'], rows);
    expect(await parquetReadObjects({ file: buffer })).toEqual(expected.rows);
  });

  test('is whole after many groups', async () => {
    const groups = Array.from({ length: 30 }, (_, group) =>
      Array.from({ length: 100 }, (_, at) => [group * 100 + at, `row ${at}`]),
    );
    const { rows } = await written(['n', 'text'], ...groups);
    expect(rows.map(({ n }) => Number(n))).toEqual(Array.from({ length: 3000 }, (_, at) => at));
  });
});
