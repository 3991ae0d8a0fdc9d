import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type {
  CatalogueEntry,
  LibraryProcessCalls,
} from '../../shared/contract/library-process-calls.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import type { Note, NoteDraft } from '../../shared/library/note.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { CallContext, Handlers } from '../../shared/rpc/rpc.ts';
import { libraryHandlers } from '../handlers.ts';
import { openLibrary } from '../library.ts';

/** The calls of a catalogue in a folder of its own, all gone when the test ends. */
export interface TestLibrary {
  readonly folder: string;
  readonly calls: Handlers<LibraryProcessCalls>;
  /** Writes a file of the user's and puts it on the list. */
  add(name: string, changes?: Partial<CatalogueEntry>): Promise<Investigation>;
  note(id: number, text: string, changes?: Partial<NoteDraft>): Promise<Note>;
  /** Names of what a search finds, in its order. */
  search(search?: string): Promise<string[]>;
  close(): void;
  /** As a host ends it. */
  end(): Promise<void>;
}

export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'library-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whoever opens one outside of a test closes it. */
function closeAtEnd(close: () => void): void {
  try {
    onTestFinished(close);
  } catch {
    // In a hook that runs before all tests.
  }
}

export function testLibrary(folder = testFolder()): TestLibrary {
  const library = openLibrary(folder);
  closeAtEnd(() => library.close());
  const calls = libraryHandlers(library);
  return {
    folder,
    calls,
    add: async (name, changes = {}) => {
      const path = changes.path ?? join(folder, name);
      if (changes.path === undefined) writeFileSync(path, name);
      const entry = testEntry({ path, name, sizeBytes: Buffer.byteLength(name), ...changes });
      return value(await calls.put({ entry }, noContext)).investigation;
    },
    note: async (id, text, changes = {}) =>
      value(await calls.putNote({ id, note: testNote({ text, ...changes }) }, noContext)),
    search: async (search) => {
      const listed = await calls.list(search === undefined ? {} : { search }, noContext);
      return value(listed).map(({ name }) => name);
    },
    close: () => library.close(),
    end: () => library.end(),
  };
}

export function testEntry(changes: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    path: '/traces/trace.db',
    name: 'trace.db',
    format: 'Ingero',
    sizeBytes: 10,
    sample: false,
    synthetic: false,
    storage: 'referenced',
    processes: [],
    ...changes,
  };
}

export function testNote(changes: Partial<NoteDraft> = {}): NoteDraft {
  return {
    id: crypto.randomUUID(),
    kind: 'note',
    text: 'a note',
    startNs: 100,
    endNs: 200,
    ...changes,
  };
}

/** The value of a call that has to succeed. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** For calls that are never cancelled. */
export const noContext: CallContext = {
  signal: new AbortController().signal,
  session: new AbortController().signal,
  progress: () => undefined,
};
