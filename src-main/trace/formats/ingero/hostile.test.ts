import { describe, expect, test } from 'vitest';
import { BEGIN_UNIX_NS } from '../../../../test/fixtures/ingero/make.ts';
import { ingeroTrace, openIngero } from '../../../../test/fixtures/ingero/open.ts';
import { MAX_NAME_LENGTH } from '../../../shared/text/text.ts';

const openWith = (sql: string) => openIngero({ sql });

const traceWith = (sql: string) => ingeroTrace({ sql });

const insert = (values: string) =>
  `INSERT INTO events (id, timestamp, pid, tid, source, op, duration, arg0, arg1, ret_code) VALUES ('x:9', ${values});`;
const now = BEGIN_UNIX_NS + 5_000_000n;

describe('rows that make no sense are left out and counted', () => {
  test.each([
    ['a text for a time', `'later', 1, 1, 1, 7, 5, 0, 0, 0`],
    ['a blob for a pid', `${now}, x'00ff', 1, 1, 7, 5, 0, 0, 0`],
    ['a text for an argument', `${now}, 1, 1, 1, 7, 5, 'many', 0, 0`],
    ['a real for an operation', `${now}, 1, 1, 1, 7.5, 5, 0, 0, 0`],
    ['a negative duration', `${now}, 1, 1, 1, 7, -5, 0, 0, 0`],
    ['a duration of centuries', `${now}, 1, 1, 1, 7, 9223372036854775807, 0, 0, 0`],
    ['a time before computers', `5, 1, 1, 1, 7, 5, 0, 0, 0`],
    ['the last time there is', `9223372036854775807, 1, 1, 1, 7, 5, 0, 0, 0`],
    ['the first time there is', `-9223372036854775808, 1, 1, 3, 1, 5, 0, 0, 0`],
    ['a negative pid', `${now}, -1, 1, 1, 7, 5, 0, 0, 0`],
    ['a huge tid', `${now}, 1, 4294967296, 1, 7, 5, 0, 0, 0`],
    ['a huge source', `${now}, 1, 1, 70000, 7, 5, 0, 0, 0`],
    ['a huge return code', `${now}, 1, 1, 1, 7, 5, 0, 0, 99999999999`],
  ])('%s', (_, values) => {
    const sane = traceWith('').tables.cuda_call.rows;
    const trace = traceWith(insert(values));
    expect(trace.tables.cuda_call.rows).toBe(sane);
    expect(trace.meta.beginUnixNs).toBe(BEGIN_UNIX_NS);
    expect(trace.notices).toContainEqual({
      level: 'warning',
      text: expect.stringContaining('1 row was left out'),
    });
  });

  test('a size beyond 2^53 is not known', () => {
    const { tables } = traceWith(insert(`${now}, 1, 1, 1, 7, 5, 9223372036854775807, 1, 0`));
    expect(tables.cuda_call.columns.bytes?.[0]).toBe(-1);
  });
});

describe('names are made harmless', () => {
  const nameOf = (sqlName: string) => {
    const { processes } = traceWith(`INSERT INTO process_names VALUES (100, ${sqlName}, 0)`);
    return processes.find(({ pid }) => pid === 100)?.name ?? '';
  };
  test.each([
    ['mark-up stays text', `'<img src=x onerror=alert(1)>'`, '<img src=x onerror=alert(1)>'],
    ['control characters are shown', `'a' || char(27) || '[2J' || char(8238) || 'b'`, 'a␛[2J�b'],
    ['invalid UTF-8 is replaced', `CAST(x'61ff62' AS TEXT)`, 'a�b'],
  ])('%s', (_, sqlName, name) => expect(nameOf(sqlName)).toBe(name));

  test('a megabyte is cut', () => {
    const name = nameOf(`hex(zeroblob(524288))`);
    expect(name.length).toBeGreaterThan(0);
    expect(name.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
  });

  test('more labels than 16 bits can number are told apart', () => {
    const { names, tables } = traceWith(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000)
       INSERT INTO annotations (timestamp, labels) SELECT ${now}, '{"step":"' || i || '"}' FROM n`,
    );
    expect(new Set(tables.range.columns.op).size).toBe(70002);
    expect(names).toContain('step=70000');
    expect(tables.range.rows).toBe(70002);
  });
});

describe('malformed JSON is ignored', () => {
  test.each(['{', 'null', '[null, 1, "x", {"s": 5}, [[[]]]]', '"text"', '[[[[[['])('%s', (json) => {
    const trace = traceWith(
      `INSERT INTO stack_traces VALUES (7, '${json}', '${json}');
       INSERT INTO annotations (timestamp, labels) VALUES (${now}, '${json}');
       INSERT INTO causal_chains (id, detected_at, severity, summary, root_cause, explanation, recommendations, timeline)
       VALUES ('c', ${now}, 'AWFUL', 's', 'r', 'e', '${json}', '${json}')`,
    );
    expect(trace.sourceFindings[0]).toMatchObject({ severity: 'AWFUL', summary: 's' });
  });
});

describe('a schema that runs code is refused', () => {
  const bomb = Array.from(
    { length: 40 },
    (_, i) => `CREATE VIEW v${i + 1} AS SELECT a.x FROM v${i} a, v${i} b;`,
  ).join('\n');
  test.each([
    [
      'a view',
      'DROP TABLE events; CREATE VIEW events AS SELECT 1 AS timestamp, 2 AS pid, 3 AS tid',
    ],
    [
      'a view of views that never ends',
      `DROP TABLE events; CREATE VIEW v0 AS SELECT 1 AS x; ${bomb} CREATE VIEW events AS SELECT x AS timestamp FROM v40`,
    ],
    [
      'a view that counts for ever',
      `DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE n(timestamp) AS (SELECT 1 UNION ALL SELECT timestamp FROM n) SELECT * FROM n`,
    ],
    [
      'a virtual table',
      'DROP TABLE events; CREATE VIRTUAL TABLE events USING fts5(timestamp, pid, tid, source, op, duration)',
    ],
    [
      'a generated column',
      'ALTER TABLE events ADD COLUMN extra INTEGER GENERATED ALWAYS AS (length(hex(zeroblob(100000000)))) VIRTUAL',
    ],
    ['a view for a lookup table', 'DROP TABLE ops; CREATE VIEW ops AS SELECT 1 AS source_id'],
  ])('%s', (_, sql) => {
    const result = openWith(sql);
    expect(result.ok ? 'ok' : result.error.code).toBe('file-unsafe');
  });

  test('triggers do not matter: nothing is written', () => {
    const sql = `CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END`;
    expect(traceWith(sql).tables.cuda_call.rows).toBe(6);
  });

  test('views nobody reads do not matter', () => {
    expect(traceWith(`CREATE VIEW v0 AS SELECT 1 AS x; ${bomb}`).tables.cuda_call.rows).toBe(6);
  });
});
