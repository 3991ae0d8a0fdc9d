import { questionCalls } from '../questions/question-calls.ts';
import { appCalls } from '../shared/contract/app-calls.ts';
import { archiveCalls } from '../shared/contract/archive-calls.ts';
import { libraryCalls } from '../shared/contract/library-calls.ts';
import { notesCalls } from '../shared/contract/notes-calls.ts';
import { perfettoCalls } from '../shared/contract/perfetto-calls.ts';
import { remoteCalls } from '../shared/contract/remote-calls.ts';
import type { RemoteProcessEvents } from '../shared/contract/remote-process-calls.ts';
import { reportCalls } from '../shared/contract/report-calls.ts';
import { settingsCalls } from '../shared/contract/settings-calls.ts';
import { sqlCalls } from '../shared/contract/sql-calls.ts';
import { traceCalls } from '../shared/contract/trace-calls.ts';
import type { Settings } from '../shared/library/settings.ts';
import type { ArgumentsOf, CallTable, ErrorOf } from '../shared/rpc/rpc.ts';

/**
 * Everything a user can do, once: one file per area in shared/contract/, one per question to a trace in
 * questions/. Handlers (app/) are a mapped type
 * over `calls`, the renderer's api is derived from it, and rpc/ validates arguments by it, so the
 * hosts cannot drift apart.
 */
export const calls = {
  ...appCalls,
  ...libraryCalls,
  ...notesCalls,
  ...settingsCalls,
  ...traceCalls,
  ...questionCalls,
  ...sqlCalls,
  ...reportCalls,
  ...archiveCalls,
  ...perfettoCalls,
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
  /** Statements of SQL were kept or removed, here or in another window. */
  'sql.savedChanged': null;
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
