import { z } from 'zod';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';

const nothing = z.strictObject({});

/** The capture agents of an installation, one for each architecture of a host. */
export interface AgentBuilds {
  readonly built: readonly {
    readonly arch: string;
    /** Below the folder of agents. */
    readonly path: string;
    readonly bytes: number;
    readonly version: string;
  }[];
  readonly missing: readonly {
    readonly arch: string;
    readonly why: string;
    readonly next: string;
  }[];
}

/** Whether C reads large traces, or JavaScript, which takes longer. */
export type NativeCode =
  | { readonly used: true; readonly sqlite: string }
  /** Why not, in a sentence. */
  | { readonly used: false; readonly why: string };

export interface About {
  readonly version: string;
  readonly host: 'desktop' | 'browser' | 'cli';
  readonly platform: string;
  readonly node: string;
  readonly electron?: string;
  readonly chromium?: string;
  /** Versions of what the app stands on: SQLite, better-sqlite3, its own file formats. */
  readonly parts: Readonly<Record<string, string>>;
  readonly agents: AgentBuilds;
  readonly nativeCode: NativeCode;
  /** As package.json names it; absent where it names none. */
  readonly licence?: string;
  /** Whether the system's file dialogs can be shown. */
  readonly fileDialog: boolean;
  /** Whether files can be moved to the system's trash. */
  readonly trash: boolean;
}

/** What the app was started with or asked for from outside: a file, or a link to a saved view. */
export type Launch =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'link'; readonly hash: string };

export const appCalls = {
  'app.about': call(nothing, returns<About>()),
  /** The next thing to open; taken by asking. */
  'app.launch': call(nothing, returns<Launch | null>()),
} as const satisfies CallTable;
