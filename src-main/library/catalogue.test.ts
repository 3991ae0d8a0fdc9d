import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogueEntry } from '../shared/process-contract.ts';
import { type Catalogue, openCatalogue } from './catalogue.ts';
import { migrations } from './migrations.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'catalogue-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(dataFolder = folder): Catalogue {
  const opened = openCatalogue(dataFolder);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function entry(changes: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    path: join(folder, 'trace.db'),
    name: 'trace.db',
    format: 'Ingero',
    sizeBytes: 10,
    sample: false,
    synthetic: false,
    ...changes,
  };
}

describe('catalogue', () => {
  test('keeps what was put, newest first, across a reopening', () => {
    const first = open();
    first.put(entry({ path: '/a', name: 'a' }), false);
    first.put(entry({ path: '/b', name: 'b', gpu: 'RTX 4090', lengthNs: 5 }), true);
    first.close();
    const listed = open().list();
    expect(listed.ok && listed.value.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(listed).toMatchObject({ value: [{ gpu: 'RTX 4090', lengthNs: 5, missing: true }, {}] });
  });

  test('knows a file by its path and keeps the id and the name', () => {
    const catalogue = open();
    const before = catalogue.put(entry(), false);
    const after = catalogue.put(entry({ name: 'other', sizeBytes: 20 }), true);
    expect(before.ok && after.ok && before.value.id === after.value.id).toBe(true);
    expect(after).toMatchObject({ value: { name: 'trace.db', sizeBytes: 20 } });
  });

  test('two hosts write at the same time', () => {
    const one = open();
    const other = open();
    one.put(entry({ path: '/one' }), false);
    other.put(entry({ path: '/other' }), false);
    const listed = one.list();
    expect(listed.ok && listed.value.length).toBe(2);
  });

  test('says that an entry is gone', () => {
    const catalogue = open();
    expect(catalogue.find(7)).toMatchObject({ error: { code: 'not-found' } });
    expect(catalogue.remove(7)).toMatchObject({ error: { code: 'not-found' } });
  });

  test.each([
    ['a newer version', () => setVersion(join(folder, 'library.db'), 99), /newer Stalltrace/],
    ['no database', () => writeFileSync(join(folder, 'library.db'), 'x'.repeat(5000)), /damaged/],
    ['a folder that is a file', blockFolder, /can't be written/],
  ])('answers %s with a sentence', (_name, spoil, sentence) => {
    const target = spoil() ?? folder;
    const opened = openCatalogue(target);
    expect(opened).toMatchObject({ ok: false, error: { code: 'library-unavailable' } });
    expect(!opened.ok && opened.error.message).toMatch(sentence);
  });

  test('a newer catalogue is left as it is', () => {
    const path = join(folder, 'library.db');
    setVersion(path, 99);
    openCatalogue(folder);
    expect(new Database(path).pragma('user_version', { simple: true })).toBe(99);
  });

  test('each migration leads from the version before it', () => {
    for (let version = 0; version < migrations.length; version++) {
      const database = new Database(':memory:');
      for (const step of migrations.slice(0, version + 1)) database.exec(step);
      expect(database.prepare('SELECT count(*) FROM investigation').pluck().get()).toBe(0);
    }
  });
});

function setVersion(path: string, version: number): undefined {
  const database = new Database(path);
  database.pragma(`user_version = ${version}`);
  database.close();
}

function blockFolder(): string {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  return join(path, 'data');
}
