import { copyFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../../../test/fixtures/ingero/make.ts';
import { importers } from '../importers.ts';
import { openTrace } from '../open-trace.ts';
import { copyTrace } from './copy-trace.ts';

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-notices-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(name: string) {
  const opened = openTrace(at(name), { scratchDir: at('scratch'), importers, progress() {} });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** A trace whose log holds two calls, copied while it was recorded. */
function copyLive(): void {
  makeIngeroDatabase(at('live.db'), '0.17.0');
  const recorder = new DatabaseSync(at('live.db'));
  recorder.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
  for (const id of ['a', 'b'])
    recorder.exec(`INSERT INTO events (id, timestamp, pid, tid, source, op, duration)
      VALUES ('${id}', 1774015560500000000, 100, 100, 1, 7, 5)`);
  for (const suffix of ['', '-wal']) copyFileSync(at(`live.db${suffix}`), at(`a.db${suffix}`));
  recorder.close();
}

test('what a cut log left out is said of the file, and of a copy that is one whole file', () => {
  copyLive();
  const whole = open('a.db');
  truncateSync(at('a.db-wal'), 9000);
  for (const name of ['a.db', 'copy.db']) {
    const { tables, notices } = open(name);
    expect(tables.cuda_call.rows).toBeLessThan(whole.tables.cuda_call.rows);
    expect(tables.cuda_call.provenance.kind).toBe('partial');
    expect(notices[0]).toMatchObject({
      level: 'warning',
      text: expect.stringContaining('“a.db-wal”'),
    });
    if (name === 'a.db')
      expect(
        copyTrace(at(name), at('copy.db'), { scratchDir: at('scratch'), progress() {} }),
      ).toMatchObject({ ok: true });
  }
});

test('a whole log leaves nothing to be said in its copy', () => {
  copyLive();
  copyTrace(at('a.db'), at('copy.db'), { scratchDir: at('scratch'), progress() {} });
  const [live, copy] = [open('a.db'), open('copy.db')];
  expect(copy.notices).toEqual(live.notices);
  expect(copy.tables.cuda_call).toEqual(live.tables.cuda_call);
  const database = new DatabaseSync(at('copy.db'));
  const tables = database.prepare("SELECT 1 FROM sqlite_schema WHERE name LIKE '%notice'").all();
  database.close();
  expect(tables).toEqual([]);
});

test('what anyone wrote there is read as words', () => {
  makeIngeroDatabase(at('a.db'), '0.17.0');
  const database = new DatabaseSync(at('a.db'));
  database.exec(`CREATE TABLE stalltrace_copy_notice(level, text);
    INSERT INTO stalltrace_copy_notice VALUES ('odd', '<b>\u202e'), (7, x'00'), (NULL, zeroblob(9));
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO stalltrace_copy_notice SELECT 'info', 'more' FROM n`);
  database.close();
  const { notices } = open('a.db');
  expect(notices.filter(({ text }) => text === 'more')).toHaveLength(17);
  expect(notices[0]).toEqual({ level: 'info', text: '<b>\ufffd' });
});
