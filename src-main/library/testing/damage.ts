import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { processIdentityOf } from '../../system/process-identity.ts';
import type { TestLibrary } from './test-library.ts';
import { noContext, value } from './test-library.ts';

export const catalogueOf = (folder: string) => join(folder, 'library.db');

/** Every entry and every note with all its words. */
export async function everything({ calls }: TestLibrary): Promise<unknown> {
  const entries = value(await calls.list({}, noContext));
  const notes = await Promise.all(entries.map(({ id }) => calls.notes({ id }, noContext)));
  return entries.map(({ id, name, tags }, at) => ({ id, name, tags, notes: notes[at] }));
}

export function pagesOf(folder: string): { bytes: Buffer; pageSize: number; pages: number } {
  const bytes = readFileSync(catalogueOf(folder));
  const pageSize = bytes.readUInt16BE(16);
  return { bytes, pageSize, pages: bytes.length / pageSize };
}

/** Zeroes pages of the catalogue, from 1. */
export function zeroPages(folder: string, ...pages: readonly number[]): Buffer {
  const { bytes, pageSize } = pagesOf(folder);
  const damaged = Buffer.from(bytes);
  for (const page of pages) damaged.fill(0, (page - 1) * pageSize, page * pageSize);
  writeFileSync(catalogueOf(folder), damaged);
  return damaged;
}

/** Changes the catalogue as a fault would: without the rules of the schema. */
export function spoil(folder: string, sql: string): void {
  const database = new Database(catalogueOf(folder));
  // The tables of an index are not written by hand otherwise.
  database.unsafeMode(true);
  database.pragma('foreign_keys = OFF');
  database.exec(sql);
  database.close();
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Names in the folder of backups. */
export function backupsIn(folder: string): string[] {
  return readdirSync(join(folder, 'backups')).sort();
}

/** As files of a process name it: one that has ended, of this place or of another. */
export function deadProcess(place = processIdentityOf().place): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return `${place}-${pid}-7`;
}
