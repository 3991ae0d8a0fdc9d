import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { errnoOf } from '../../system/errno.ts';
import { type RunRecord, runRecord, withoutArguments } from './run-record.ts';
import { runsFolder } from './runs-folder.ts';
import { readState, type StateError, unwritable, writeState } from './state-file.ts';

/** What of a run's folder is not its trace. */
const KEPT: ReadonlySet<string> = new Set(['run.json', 'run.json.damaged', 'lock']);
const ID = /^[0-9a-f]{8,64}$/;

/** Captures that are not done with, a folder each: `runs/‹id›/`. */
export interface RunStore {
  /** Newest first. */
  list(): Promise<readonly RunRecord[]>;
  read(id: string): Promise<RunRecord | undefined>;
  write(record: RunRecord): Promise<Result<null, StateError>>;
  /** Where what belongs to a run is kept on this disk: its record, its transfer, its lock. */
  folderOf(id: string): string;
  /** Removes what was fetched of its trace. */
  dropFetched(id: string): Promise<void>;
  /** With all that was fetched and is not in the library. */
  remove(id: string): Promise<Result<null, StateError>>;
}

export function openRunStore(folder: string): RunStore {
  const runs = runsFolder(folder);
  const folderOf = (id: string) => join(runs, id);
  const read = async (id: string) => {
    if (!ID.test(id)) return undefined;
    const record = await readState(join(folderOf(id), 'run.json'), runRecord);
    return record?.id === id ? record : undefined;
  };
  return {
    read,
    folderOf,
    async list() {
      const names = await readdir(runs).catch((): string[] => []);
      const records = await Promise.all(names.map(read));
      return records
        .filter((record) => record !== undefined)
        .sort((one, other) => other.startedAt.localeCompare(one.startedAt));
    },
    write: (record) => {
      const request = withoutArguments(record.request);
      return writeState(join(folderOf(record.id), 'run.json'), { ...record, request });
    },
    async dropFetched(id) {
      const names = await readdir(folderOf(id)).catch((): string[] => []);
      for (const name of names.filter((each) => !KEPT.has(each)))
        await rm(join(folderOf(id), name), { recursive: true, force: true }).catch(() => undefined);
    },
    async remove(id) {
      try {
        // The record goes first: a folder without one is no run any more, whatever else is left.
        await rm(join(folderOf(id), 'run.json'), { force: true });
        await rm(folderOf(id), { recursive: true, force: true });
        return ok(null);
      } catch (thrown) {
        return errnoOf(thrown) === 'ENOENT' ? ok(null) : unwritable(folderOf(id), thrown);
      }
    },
  };
}
