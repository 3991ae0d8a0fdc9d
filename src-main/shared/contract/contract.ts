import type { Settings } from '../library/settings.ts';
import type { ArgumentsOf, CallTable, ErrorOf } from '../rpc/rpc.ts';
import { appCalls } from './app-calls.ts';
import { archiveCalls } from './archive-calls.ts';
import { libraryCalls } from './library-calls.ts';
import { notesCalls } from './notes-calls.ts';
import { remoteCalls } from './remote-calls.ts';
import type { RemoteProcessEvents } from './remote-process-calls.ts';
import { reportCalls } from './report-calls.ts';
import { settingsCalls } from './settings-calls.ts';
import { traceCalls } from './trace-calls.ts';

/**
 * Everything a user can do, once, one file per area in contract/. Handlers (app/) are a mapped type
 * over `calls`, the renderer's api is derived from it, and rpc/ validates arguments by it, so the
 * hosts cannot drift apart.
 */
export const calls = {
  ...appCalls,
  ...libraryCalls,
  ...notesCalls,
  ...settingsCalls,
  ...traceCalls,
  ...reportCalls,
  ...archiveCalls,
  ...remoteCalls,
} as const satisfies CallTable;

export type Calls = typeof calls;
export type CallName = keyof Calls;
export type CallArguments<N extends CallName> = ArgumentsOf<Calls, N>;
export type CallValue<N extends CallName> = Calls[N]['result'];
export type CallError<N extends CallName> = ErrorOf<Calls, N>;

/** What the host tells the renderer unasked. */
export interface Events {
  'library.changed': null;
  /** The file of a removed entry could not be moved to the trash: the entry is back. */
  'library.trashFailed': { readonly message: string };
  /** Notes of an investigation were written or removed, here or in another window. */
  'notes.changed': { readonly investigation: number };
  'settings.changed': Settings;
  /** Something waits for `app.launch`. */
  'launch.waiting': null;
  /** The user chose an entry of the desktop's menu: the id of a command. */
  'app.command': { readonly command: string };
  /** The process of an open trace ended by itself: memory ran out, or somebody killed it. */
  'trace.lost': { readonly traceId: string; readonly message: string };
  /** A connection needs a person: `remote.answer`. For whoever chose that connection's id. */
  'remote.question': RemoteProcessEvents['question'];
  /** Answered, here or in another window, or not needed any more. */
  'remote.questionGone': RemoteProcessEvents['questionGone'];
  'remote.link': RemoteProcessEvents['link'];
  /** A capture as it is now. */
  'remote.run': RemoteProcessEvents['run'];
  /** The list of captures or of saved hosts is another one. */
  'remote.changed': null;
}

export type EventName = keyof Events;
