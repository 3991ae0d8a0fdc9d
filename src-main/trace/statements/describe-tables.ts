import { DatabaseSync } from 'node:sqlite';
import type { StatementTable } from '../../shared/answers/statement.ts';
import { tableNames } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { createStatements, documentedTables } from '../formats/stalltrace/create.ts';
import { views } from './views.ts';

type Columns = StatementTable['columns'];

/** What a statement can read: views first, then tables of events, then what events refer to. */
export function describeTables(trace: Trace): StatementTable[] {
  const tables = documentedTables();
  const columnsOf = new Map(tables.map(({ name, columns }) => [name, columns]));
  const eventNames = new Set<string>(tableNames);
  const described = tables.map(({ name, doc, columns }): StatementTable => {
    const events = tableNames.find((table) => table === name);
    return {
      name,
      kind: eventNames.has(name) ? 'events' : 'entities',
      doc,
      ...(events !== undefined && { rows: trace.tables[events].rows }),
      columns: columns.map(({ sqlName, unit, meaning }) => ({ name: sqlName, unit, doc: meaning })),
    };
  });
  const of = (kind: StatementTable['kind']) => described.filter((table) => table.kind === kind);
  return [...describeViews(columnsOf), ...of('events'), ...of('entities')];
}

type Documented = ReadonlyMap<string, ReturnType<typeof documentedTables>[number]['columns']>;

/** SQLite says of which column of a table each column of a view is. */
function describeViews(documented: Documented): StatementTable[] {
  const database = new DatabaseSync(':memory:');
  try {
    for (const statement of createStatements()) database.exec(statement);
    for (const { name, select } of views) database.exec(`CREATE VIEW ${name} AS ${select}`);
    return views.map(({ name, doc }) => {
      const columns: Columns = database
        .prepare(`SELECT * FROM ${name}`)
        .columns()
        .map((column) => describeColumn(column, documented));
      return { name, kind: 'view', doc, columns };
    });
  } finally {
    database.close();
  }
}

interface ViewColumn {
  readonly name: string;
  readonly table: string | null;
  readonly column: string | null;
}

function describeColumn({ name, table, column }: ViewColumn, documented: Documented) {
  const origin = documented.get(table ?? '')?.find(({ sqlName }) => sqlName === column);
  const doc = origin === undefined || table === 'name' ? wordsOf(name) : origin.meaning;
  const unit = origin === undefined ? (name.endsWith('_ms') ? 'ms' : '') : origin.unit;
  return { name, unit, doc };
}

/** Of what a view works out: a time in ms, a word in place of a code, a name in place of an id. */
function wordsOf(name: string): string {
  if (name === 'preempted') return '1 where the thread could have gone on, else 0';
  if (name.endsWith('_ms')) return `${name.replace(/_ms$/, '_ns')} in ms`;
  return `${name.replaceAll('_', ' ')}, in words`;
}
