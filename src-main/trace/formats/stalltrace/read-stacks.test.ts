import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type Frame, framesOf } from '../../../shared/model/stacks.ts';
import { StackBuilder } from '../../build/stacks.ts';
import { createStatements } from './create.ts';
import { readFileSchema } from './file-schema.ts';
import { readStacks } from './read-stacks.ts';

/** The tables as files of version 0 have them. */
const listLayout = `CREATE TABLE stack (id INTEGER PRIMARY KEY); CREATE TABLE frame (stack_id INTEGER,
  position INTEGER, symbol TEXT, file TEXT, line INTEGER, language TEXT, address INTEGER);`;
const treeLayout = createStatements()
  .filter((statement) => /^CREATE TABLE (stack|frame) /.test(statement))
  .join(';');

/** What the stacks of `ids` are, in a file of these tables and rows. */
function read(sql: string, ids: readonly number[] = []) {
  const database = new DatabaseSync(':memory:');
  database.exec(sql);
  const dangling = { count: 0 };
  const builder = new StackBuilder();
  const places = readStacks(database, readFileSchema(database, 1), builder, dangling);
  database.close();
  const stacks = builder.build();
  const rowOf = (id: number) => places.rows[places.ids.positionOf(id)];
  return {
    stacks,
    skipped: places.skipped,
    dangling: dangling.count,
    row: rowOf,
    frames: ids.map((id) => framesOf(stacks, rowOf(id) ?? -1)),
  };
}

const names = (frames: readonly (readonly Frame[])[]) =>
  frames.map((stack) => stack.map(({ symbol }) => symbol).join(' '));

/** The frames of one stack, leaf first: SQL of `symbol, file, line, language, address`. */
const layouts: [name: string, write: (frames: readonly string[]) => string][] = [
  [
    'as a list',
    (frames) =>
      `${listLayout} INSERT INTO stack VALUES (1); INSERT INTO frame VALUES
        ${frames.map((frame, at) => `(1, ${at}, ${frame})`).join(',')}`,
  ],
  [
    'as a tree',
    (frames) =>
      `${treeLayout}; INSERT INTO frame VALUES
        ${frames.map((frame, at) => `(${at + 1}, ${frame})`).join(',')};
      INSERT INTO stack VALUES
        ${frames.map((_, at) => `(${at + 1}, ${at + 1 < frames.length ? at + 2 : 'NULL'}, ${at + 1})`).join(',')}`,
  ],
];

describe.each(layouts)('a stack stored %s', (_name, write) => {
  const framesIn = (...frames: string[]) => read(write(frames), [1]).frames[0] ?? [];

  test('has its frames leaf first, with what is known of each', () => {
    expect(
      framesIn(
        `'memcpy', 'libc.so.6', NULL, 'native', 4096`,
        `'step', '/a/train.py', 31, 'python', NULL`,
        `NULL, NULL, -3, NULL, 4096`,
        `NULL, x'00', 1e300, 7, NULL`,
      ),
    ).toEqual([
      { symbol: 'memcpy', file: 'libc.so.6', language: 'native' },
      { symbol: 'step', file: '/a/train.py', line: 31, language: 'python' },
      { symbol: '0x1000', language: 'native' },
      { symbol: '(not resolved)', language: 'native' },
    ]);
  });

  test('has its symbols whole, mangled as they are; the greatest are cut', () => {
    const whole = `_Z${'a'.repeat(16_000)}`;
    const rest = 'NULL, NULL, NULL, NULL';
    const symbols = framesIn(
      `'${whole}', ${rest}`,
      `'_Z${'b'.repeat(20_000)}', ${rest}`,
      `'_Z1fv', ${rest}`,
    ).map(({ symbol }) => symbol);
    expect(symbols.map(({ length }) => length)).toEqual([16_002, 16_384, 5]);
    expect(symbols[0]).toBe(whole);
    expect(symbols[1]?.endsWith('…')).toBe(true);
  });

  test('keeps so much of long symbols and no more', () => {
    const long = (at: number) => `'_Z${at}${'c'.repeat(16_000)}', NULL, NULL, NULL, NULL`;
    const { stacks } = read(write(Array.from({ length: 1_100 }, (_, at) => long(at))));
    const lengths = stacks.texts.map(({ length }) => length);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    expect(total).toBeLessThan(2 ** 24 + 2 ** 20);
    expect(Math.max(...lengths)).toBeGreaterThan(16_000);
  });

  test('shows no address of the kernel, as older recorders wrote it', () => {
    const symbols = framesIn(
      `NULL, '[kernel]', NULL, NULL, -2130706432`,
      `'do_idle', '[kernel]', NULL, NULL, -2130706400`,
      `'0xffffffff81000000', NULL, NULL, NULL, NULL`,
      `NULL, NULL, NULL, NULL, 4096`,
    ).map(({ symbol }) => symbol);
    expect(symbols).toEqual(['[kernel]', 'do_idle', '[kernel]', '0x1000']);
  });

  test('has 1,024 frames at most, and says that there were more', () => {
    const frames = Array.from({ length: 1_100 }, (_, at) => `'f${at}', NULL, NULL, NULL, NULL`);
    const found = read(write(frames), [1]);
    expect(found.frames[0]).toHaveLength(1_024);
    expect(found.skipped).toBe(76);
  });

  test('shares what it has in common with others', () => {
    const twice = read(
      write([`'a', '/x.py', 1, 'python', 9`, `'a', '/x.py', 1, 'python', 8`]),
      [1],
    );
    expect(names(twice.frames)).toEqual(['a a']);
    expect([twice.stacks.frames.length, twice.stacks.texts]).toEqual([1, ['a', '/x.py']]);
  });
});

test('frames of a list may come in any order; a stack without any is none', () => {
  const { frames, row, skipped } = read(
    `${listLayout} INSERT INTO stack VALUES (4), (9), (2);
      INSERT INTO frame (stack_id, position, symbol) VALUES (9, 1, 'main'), (4, 5, 'main'),
        (9, 0, 'f'), (4, 0, 'g'), (4, 2, 'f'), (7, 0, 'nobody'), (4, -1, 'x'), (4, 'x', 'x')`,
    [4, 9],
  );
  expect(names(frames)).toEqual(['g f main', 'f main']);
  expect(row(2)).toBe(-1);
  expect(skipped).toBe(3);
});

describe('a tree', () => {
  const tree = (rows: string) =>
    `${treeLayout}; INSERT INTO frame (id, symbol) VALUES (1, 'main'), (2, 'f'), (3, 'g');
      INSERT INTO stack VALUES ${rows}`;

  test('may have its rows in any order, and equal ones twice', () => {
    const found = read(tree('(1, 8, 3), (8, 9, 2), (9, NULL, 1), (10, 8, 3)'), [1, 8, 9, 10]);
    expect(names(found.frames)).toEqual(['g f main', 'f main', 'main', 'g f main']);
    expect(found.stacks.length).toBe(3);
    expect(found.row(10)).toBe(found.row(1));
    for (let stack = 0; stack < found.stacks.length; stack++)
      expect(found.stacks.prefix[stack]).toBeLessThan(stack);
    expect([found.skipped, found.dangling]).toEqual([0, 0]);
  });

  test('with a circle in it is cut there', () => {
    const found = read(
      tree('(1, 2, 1), (2, 3, 2), (3, 1, 3), (4, 4, 1), (5, 1, 2)'),
      [1, 2, 3, 4, 5],
    );
    expect(names(found.frames)).toEqual(['main f g', 'f g', 'g', 'main', 'f main f g']);
    expect(found.skipped).toBe(2);
  });

  test('counts what refers to nothing, and leaves it out', () => {
    const found = read(tree('(1, 77, 1), (2, 1, 88), (3, 2, 3), (4, NULL, NULL)'), [1, 2, 3, 4]);
    expect(names(found.frames)).toEqual(['main', 'main', 'g main', '']);
    expect([found.dangling, found.row(4)]).toEqual([2, -1]);
  });

  test('leaves out rows with ids of a wrong type', () => {
    const found = read(
      `CREATE TABLE frame (id, symbol); CREATE TABLE stack (id, prefix_id, frame_id);
        INSERT INTO frame VALUES (1, 'main'), ('x', 'f'), (-4, 'f');
        INSERT INTO stack VALUES (1, NULL, 1), ('x', NULL, 1), (2, 'x', 1), (-1, NULL, 1)`,
      [1, 2],
    );
    expect(names(found.frames)).toEqual(['main', '']);
    expect(found.skipped).toBe(5);
  });
});
