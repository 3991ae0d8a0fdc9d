import { describe, expect, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { entityTables } from '../../trace/formats/stalltrace/entity-tables.ts';
import { entityReferences, renumberEntity, renumberLists } from './entity-references.ts';
import { NONE } from './schema.ts';

/** What the tables of our own files call the lists, and whose rows name others by `‹field›_id`. */
const tables = {
  cpus: 'cpu',
  gpus: 'gpu',
  clocks: 'clock',
  processes: 'process',
  threads: 'thread',
  contexts: 'context',
  streams: 'stream',
} as const;
const lists = Object.keys(tables) as (keyof typeof tables)[];

describe.each(lists)('%s', (list) => {
  const fields: Readonly<Record<string, { to: string; absent?: number }>> = entityReferences[list];

  test('name what the file says they name', () => {
    const columns = Object.entries(entityTables[tables[list]].columns).flatMap(([name, column]) => {
      const named = /^(host|job|process|gpu|context)\.id$/.exec(column.unit)?.[1];
      return named === undefined ? [] : [[name.replace(/_id$/, ''), named]];
    });
    expect(columns.toSorted()).toEqual(
      Object.entries(fields)
        .map(([field, { to }]) => [field, to])
        .toSorted(),
    );
  });

  test.each(Object.entries(fields))(
    '%s moves, and names nothing where that is gone',
    (field, { to, absent }) => {
      const entity = { own: 'stays', [field]: 3 } as never;
      const moved = renumberEntity(list, entity, { [to]: (index: number) => index + 40 });
      expect(moved).toMatchObject({ own: 'stays', [field]: 43 });
      const gone = renumberEntity(list, entity, { [to]: () => NONE });
      expect((gone as unknown as Record<string, unknown>)[field] ?? NONE).toBe(NONE);
      const nothing = renumberEntity(list, { [field]: NONE } as never, { [to]: () => 7 });
      expect((nothing as unknown as Record<string, unknown>)[field] ?? NONE).toBe(NONE);
      const unsaid = renumberEntity(list, {} as never, { [to]: (index: number) => index + 40 });
      expect(unsaid).toEqual(
        absent === 0 ? { [field]: 40 } : absent === NONE ? {} : { [field]: -1 },
      );
    },
  );
});

test('lists that name nothing of it are left as they are', () => {
  const trace = buildTrace({ processes: [{ pid: 1, parent: 0 }], threads: [{ tid: 1 }] });
  const moved = renumberLists(trace, { process: (index) => index + 1 });
  expect(moved.processes[0]?.parent).toBe(1);
  expect(moved.threads[0]?.process).toBe((trace.threads[0]?.process ?? 0) + 1);
  expect(moved.gpus).toBe(trace.gpus);
  expect(moved.streams).toBe(trace.streams);
});
