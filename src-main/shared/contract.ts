import { z } from 'zod';
import type { CallExplanation } from './explanation.ts';
import type { OperationStats } from './operations.ts';
import {
  type ArgumentsOf,
  type CallTable,
  defineCall as call,
  type ErrorOf,
  returns,
} from './rpc.ts';
import type { TraceSummary } from './summary.ts';

/**
 * Everything a user can do, once. Handlers (app/) are a mapped type over `calls`, the renderer's
 * api is derived from it, and rpc/ validates arguments by it, so the hosts cannot drift apart.
 */

const nothing = z.strictObject({});
const investigationId = z.number().int().positive();
const traceId = z.uuid();

export interface About {
  readonly version: string;
  readonly host: 'desktop' | 'browser' | 'cli';
  readonly platform: string;
  readonly node: string;
  readonly electron?: string;
  /** Whether `library.choose` can show a file dialog of the system. */
  readonly fileDialog: boolean;
}

export interface Investigation {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly format: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly addedAt: string;
  readonly openedAt?: string;
  /** ISO 8601, when the trace was recorded. */
  readonly recordedAt?: string;
  readonly lengthNs?: number;
  readonly machine?: string;
  readonly gpu?: string;
  /** The bundled sample: made by a script, cannot be removed. */
  readonly sample: boolean;
  readonly synthetic: boolean;
  /** The file is no longer where it was. */
  readonly missing: boolean;
}

export interface OpenedTrace {
  readonly traceId: string;
  readonly investigation: Investigation;
  readonly summary: TraceSummary;
}

/** Codes of everything that can be wrong with a trace file. */
export const traceFileErrors = [
  'file-missing',
  'file-unreadable',
  'file-empty',
  'file-not-a-trace',
  'file-lfs-pointer',
  'file-truncated',
  'file-damaged',
  'file-unknown-database',
  'file-no-events',
  'file-too-new',
  'file-busy',
  'file-unsafe',
  'disk-full',
  'no-temporary-folder',
  'process-lost',
] as const;
export type TraceFileError = (typeof traceFileErrors)[number];

export const calls = {
  'app.about': call(nothing, returns<About>()),
  /** The next file the app was started with or was asked to open from outside; taken by asking. */
  'app.launchFile': call(nothing, returns<string | null>()),
  'library.list': call(nothing, returns<readonly Investigation[]>(), 'library-unavailable'),
  /** Adds a file by its path on the host, or returns the entry that already refers to it. */
  'library.add': call(
    z.strictObject({ path: z.string().min(1).max(4096) }),
    returns<Investigation>(),
    'library-unavailable',
    'path-not-allowed',
    ...traceFileErrors,
  ),
  /** Shows the system's file dialog; `null` when the user changed their mind. */
  'library.choose': call(
    nothing,
    returns<Investigation | null>(),
    'library-unavailable',
    'no-dialog',
    'path-not-allowed',
    ...traceFileErrors,
  ),
  /** Takes an entry off the list. The file stays where it is; so does the sample as long as it exists. */
  'library.remove': call(
    z.strictObject({ id: investigationId }),
    returns<null>(),
    'library-unavailable',
    'not-found',
    'sample-stays',
  ),
  'trace.open': call(
    z.strictObject({ id: investigationId }),
    returns<OpenedTrace>(),
    'library-unavailable',
    'not-found',
    'path-not-allowed',
    ...traceFileErrors,
  ),
  /** Opens a file without adding it to the library: for scripts. */
  'trace.openFile': call(
    z.strictObject({ path: z.string().min(1).max(4096) }),
    returns<{ readonly traceId: string; readonly summary: TraceSummary }>(),
    'path-not-allowed',
    ...traceFileErrors,
  ),
  'trace.close': call(z.strictObject({ traceId }), returns<null>()),
  /** Statistics per source, operation, direction and, where asked, size bucket. */
  'trace.operations': call(
    z.strictObject({ traceId, bySize: z.boolean() }),
    returns<readonly OperationStats[]>(),
    'not-open',
    'process-lost',
  ),
  /** What the trace proves about one row of cuda_call, and what it can't. */
  'trace.explain': call(
    z.strictObject({ traceId, call: z.number().int().nonnegative() }),
    returns<CallExplanation>(),
    'not-open',
    'not-found',
    'process-lost',
  ),
} as const satisfies CallTable;

export type Calls = typeof calls;
export type CallName = keyof Calls;
export type CallArguments<N extends CallName> = ArgumentsOf<Calls, N>;
export type CallValue<N extends CallName> = Calls[N]['result'];
export type CallError<N extends CallName> = ErrorOf<Calls, N>;

/** What the host tells the renderer unasked. */
export interface Events {
  'library.changed': null;
  /** A file waits for `app.launchFile`. */
  'launch.file': null;
  /** The process of an open trace ended by itself: memory ran out, or somebody killed it. */
  'trace.lost': { readonly traceId: string; readonly message: string };
}
export type EventName = keyof Events;
