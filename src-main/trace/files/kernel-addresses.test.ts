import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  hideKernelAddresses,
  holdsKernelAddresses,
  withoutKernelAddress,
} from './kernel-addresses.ts';

/** Two places in a kernel, as SQLite keeps them, and the bytes that they are in the file. */
const PLACES = [-2_130_706_431, -2_129_920_255];
const bytesOf = (place: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(place);
  return bytes;
};

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernel-addresses-'));
  path = join(folder, 'trace.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE frame (symbol TEXT, address INTEGER); ${sql}`);
  database.close();
}

test('they are found, and gone from the rows and from the bytes of the file', () => {
  const frames = PLACES.map((place) => `INSERT INTO frame VALUES ('do_idle', ${place});`).join('');
  // What was deleted stays in unused pages.
  const left = `CREATE TABLE gone AS SELECT * FROM frame; DROP TABLE gone;`;
  write(`${frames}${left} INSERT INTO frame VALUES (NULL, 4096)`);
  for (const place of PLACES) expect(readFileSync(path).includes(bytesOf(place))).toBe(true);
  expect(holdsKernelAddresses(path, folder)).toEqual({ ok: true, value: true });
  expect(hideKernelAddresses(path)).toEqual({ ok: true, value: null });
  expect(holdsKernelAddresses(path, folder)).toEqual({ ok: true, value: false });
  for (const place of PLACES) expect(readFileSync(path).includes(bytesOf(place))).toBe(false);
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT symbol, address FROM frame').all();
  database.close();
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['do_idle', null],
    ['do_idle', null],
    [null, 4096],
  ]);
});

test('a file without them, or without such tables, stays as it is', () => {
  write(
    'INSERT INTO frame VALUES (NULL, 4096); DROP TABLE frame; CREATE TABLE frame (symbol TEXT)',
  );
  const before = readFileSync(path);
  expect(holdsKernelAddresses(path, folder)).toEqual({ ok: true, value: false });
  expect(hideKernelAddresses(path)).toEqual({ ok: true, value: null });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a trigger in it is never run', () => {
  write(`INSERT INTO frame VALUES ('do_idle', ${PLACES[0]}); CREATE TABLE ran (x);
    CREATE TRIGGER t AFTER UPDATE ON frame BEGIN INSERT INTO ran VALUES (1); END`);
  expect(hideKernelAddresses(path)).toEqual({ ok: true, value: null });
  const database = new DatabaseSync(path, { readOnly: true });
  expect(database.prepare('SELECT count(*) AS n FROM ran').get()?.n).toBe(0);
  database.close();
});

test.each([
  ['0xffffffff81000000', '[kernel]'],
  ['ffff888003c00000', '[kernel]'],
  ['0xff11000103c00000', '[kernel]'],
  ['0x7f0112345678', '0x7f0112345678'],
  ['ffff888003c00000_init', 'ffff888003c00000_init'],
  ['do_idle', 'do_idle'],
])('as text: %s is %s', (symbol, shown) => expect(withoutKernelAddress(symbol)).toBe(shown));
