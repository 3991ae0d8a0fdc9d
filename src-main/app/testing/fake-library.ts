import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type {
  CatalogueEntry,
  LibraryProcessCalls,
} from '../../shared/contract/library-process-calls.ts';
import type { Investigation, Verdict } from '../../shared/library/investigation.ts';
import type { Note } from '../../shared/library/note.ts';
import type { SavedQuery } from '../../shared/library/saved-query.ts';
import type { SetRole } from '../../shared/library/set-role.ts';
import { defaultSettings, type Settings, withChanges } from '../../shared/library/settings.ts';
import type { SavedView } from '../../shared/library/view.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Handlers } from '../../shared/rpc/rpc.ts';

interface Kept {
  entry: CatalogueEntry;
  damage?: string;
  found?: Verdict;
  readonly id: number;
  readonly addedAt: string;
  openedAt?: string;
  removed?: { readonly atMs: number; readonly trashFile: boolean; taken: boolean };
  changes: { name?: string; tags?: readonly string[]; verdict?: Verdict };
  view: SavedView | null;
  roles: readonly SetRole[];
  readonly notes: Map<string, Note>;
}

const now = () => new Date().toISOString();
const notFound = () => fail('not-found', 'It is not in the library.');
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** The library process in memory, for tests: what its contract says, without a file. */
export class FakeLibrary {
  readonly kept: Kept[] = [];
  settings: Settings = defaultSettings;
  readonly queries = new Map<string, SavedQuery>();
  /** Set: every call fails with it. */
  broken: string | undefined;
  /** The names of the calls so far. */
  readonly asked: string[] = [];

  get handlers(): Handlers<LibraryProcessCalls> {
    const handlers = this.#handlers();
    for (const name of Object.keys(handlers) as (keyof LibraryProcessCalls)[]) {
      const answer = handlers[name] as (...args: unknown[]) => Promise<Result<unknown>>;
      const guarded = async (...args: unknown[]) => {
        this.asked.push(name);
        const { broken } = this;
        return broken === undefined ? answer(...args) : fail('library-unavailable', broken);
      };
      Object.assign(handlers, { [name]: guarded });
    }
    return handlers;
  }

  /** The list, as `library.list` answers it. */
  list(): Investigation[] {
    return this.kept.filter(({ removed }) => removed === undefined).map(toInvestigation);
  }

  put(entry: CatalogueEntry): Investigation {
    let kept = this.kept.find((each) => each.entry.path === entry.path);
    if (kept === undefined) {
      const id = this.kept.length + 1;
      kept = { entry, id, addedAt: now(), changes: {}, view: null, roles: [], notes: new Map() };
      this.kept.push(kept);
    } else {
      const { name, sample } = kept.entry;
      const keepsName = sample || !entry.sample;
      kept.entry = {
        ...entry,
        name: keepsName ? name : entry.name,
        sample: sample || entry.sample,
      };
      delete kept.removed;
    }
    return toInvestigation(kept);
  }

  #handlers(): { -readonly [N in keyof LibraryProcessCalls]: Handlers<LibraryProcessCalls>[N] } {
    const listed = (id: number) =>
      this.kept.find((each) => each.id === id && each.removed === undefined);
    /** Answers about a listed entry, or that there is none. */
    function of<T, Code extends string>(
      id: number,
      answer: (kept: Kept) => Result<T, Code>,
    ): Result<T, Code | 'not-found'> {
      const kept = listed(id);
      return kept === undefined ? notFound() : answer(kept);
    }
    const shown = (kept: Kept) => ok(toInvestigation(kept));
    return {
      list: async () => ok(this.list()),
      find: async ({ id }) => of(id, shown),
      ofSize: async ({ sizeBytes }) =>
        ok(this.kept.filter(({ entry }) => entry.sizeBytes === sizeBytes).map(toInvestigation)),
      put: async ({ entry }) => {
        const wasKnown = this.kept.some((each) => each.entry.path === entry.path);
        return ok({ investigation: this.put(entry), wasKnown });
      },
      noteOpened: async ({ id, entry }) =>
        of(id, (kept) => {
          this.put(entry);
          kept.openedAt = now();
          return shown(kept);
        }),
      change: async ({ id, name, tags, verdict }) =>
        of(id, (kept) => {
          kept.changes = {
            ...kept.changes,
            ...(name !== undefined && { name }),
            ...(tags !== undefined && { tags }),
            ...(verdict && { verdict }),
          };
          if (verdict === null) delete kept.changes.verdict;
          return shown(kept);
        }),
      noteFound: async ({ id, found }) => {
        const kept = listed(id);
        if (kept === undefined || isDeepStrictEqual(kept.found, found)) return ok(false);
        kept.found = found;
        return ok(true);
      },
      relocate: async ({ id, path, sizeBytes, sha256: hash, storage }) =>
        of(id, (kept) => {
          const holder = this.kept.find(({ entry }) => entry.path === path);
          if (holder !== undefined && holder !== kept)
            return fail('path-taken', 'Another entry has this path.');
          const { sha256: old, ...entry } = kept.entry;
          delete kept.damage;
          if (hash === undefined || hash !== old) delete kept.found;
          kept.entry = { ...entry, path, sizeBytes, storage, ...(hash && { sha256: hash }) };
          return shown(kept);
        }),
      setDamage: async ({ id, damage }) =>
        of(id, (kept) => {
          if (damage === null) delete kept.damage;
          else kept.damage = damage;
          return ok(null);
        }),
      remove: async ({ id, trashFile }) =>
        of(id, (kept) => {
          if (kept.entry.sample && existsSync(kept.entry.path))
            return fail('sample-stays', 'The sample stays.');
          const isTrashed = trashFile || kept.entry.storage === 'copied';
          kept.removed = { atMs: Date.now(), trashFile: isTrashed, taken: false };
          return ok(null);
        }),
      restore: async ({ id }) => {
        const kept = this.kept.find((each) => each.id === id);
        if (kept === undefined) return notFound();
        delete kept.removed;
        return shown(kept);
      },
      takeDueRemovals: async ({ graceMs }) => {
        const due = this.kept.filter(
          ({ removed }) => removed && !removed.taken && Date.now() - removed.atMs >= graceMs,
        );
        return ok(
          due.map(({ id, entry, removed }) => {
            if (removed !== undefined) removed.taken = true;
            const removedAt = new Date(removed?.atMs ?? 0).toISOString();
            return { id, path: entry.path, trashFile: removed?.trashFile === true, removedAt };
          }),
        );
      },
      hash: async ({ id }) =>
        of(id, (kept) => {
          if (!existsSync(kept.entry.path)) return fail('file-missing', 'It is not there.');
          kept.entry = { ...kept.entry, sha256: sha256(kept.entry.path) };
          return shown(kept);
        }),
      hashFile: async ({ path }) =>
        existsSync(path) ? ok(sha256(path)) : fail('file-missing', 'It is not there.'),
      saveView: async ({ id, view }) =>
        of(id, (kept) => {
          kept.view = view;
          return ok(null);
        }),
      roles: async ({ id }) => of(id, ({ roles }) => ok(roles)),
      saveRoles: async ({ id, roles }) =>
        of(id, (kept) => {
          kept.roles = roles;
          return ok(null);
        }),
      view: async ({ id }) => of(id, ({ view }) => ok(view)),
      notes: async ({ id }) => of(id, ({ notes }) => ok([...notes.values()])),
      putNote: async ({ id, note, basedOn, createdAt }) =>
        of(id, ({ notes }) => {
          const before = notes.get(note.id);
          if (before !== undefined && basedOn !== undefined && before.updatedAt !== basedOn)
            return fail('note-changed', 'It was changed elsewhere.');
          const written = {
            ...note,
            createdAt: before?.createdAt ?? createdAt ?? now(),
            updatedAt: now(),
          };
          notes.set(note.id, written);
          return ok(written);
        }),
      removeNote: async ({ id, note }) =>
        of(id, ({ notes }) => (notes.delete(note) ? ok(null) : notFound())),
      addNotes: async ({ id, notes }) =>
        of(id, (kept) => {
          const added = notes.filter((note) => !kept.notes.has(note.id));
          for (const note of added) kept.notes.set(note.id, note);
          const bookmarks = added.filter(({ kind }) => kind === 'bookmark').length;
          return ok({ notes: added.length - bookmarks, bookmarks });
        }),
      savedQueries: async () => ok([...this.queries.values()]),
      putQuery: async (query) => {
        this.queries.set(query.name, query);
        return ok(query);
      },
      removeQuery: async ({ name }) => {
        this.queries.delete(name);
        return ok(null);
      },
      settings: async () => ok(this.settings),
      changeSettings: async ({ changes }) => {
        this.settings = withChanges(this.settings, changes);
        return ok(this.settings);
      },
      health: async () => ok({ state: 'ok', backups: [] }),
      restoreBackup: async () => notFound(),
      end: async () => ok(null),
      backUp: async () => ok(null),
    };
  }
}

function toInvestigation(kept: Kept): Investigation {
  const { id, entry, damage, found, addedAt, openedAt, changes, notes } = kept;
  const { processes: _processes, cpu: _cpu, ...described } = entry;
  const state = !existsSync(entry.path) ? 'missing' : damage === undefined ? 'ok' : 'damaged';
  return {
    ...described,
    id,
    addedAt,
    ...(openedAt !== undefined && { openedAt }),
    state,
    ...(state === 'damaged' && damage !== undefined && { damage }),
    ...(found !== undefined && { found }),
    tags: [],
    notes: notes.size,
    ...changes,
    // zod's optional fields may hold `undefined` for the type checker; nobody puts it there.
  } as Investigation;
}
