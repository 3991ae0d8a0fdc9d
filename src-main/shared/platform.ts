import type { SecretStore } from './remote/secret-store.ts';

/** What differs between the hosts, supplied by each to the same app/. */

export type ProcessEntry =
  | 'trace-process'
  | 'statement-process'
  | 'library-process'
  | 'remote-process';

/** A child process that speaks frames over its message port. */
export interface LaunchedProcess {
  /** Not yet known of one that is just being started. */
  readonly pid?: number | undefined;
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once; `reason` says how it ended, with the last of its stderr (control characters removed). */
  onExit(listener: (reason: string) => void): void;
  /** Ends it at once: the only way to stop a native query. */
  kill(): void;
}

export interface HostPlatform {
  readonly kind: 'desktop' | 'browser' | 'cli';
  /** Starts one of the entry files that stand beside the host's own, with `args` as its process.argv[2…]. */
  launch(entry: ProcessEntry, args: readonly string[]): LaunchedProcess;
  /** The system's file dialog, where the host has one; the chosen path, or `null`. */
  readonly chooseFile?: () => Promise<string | null>;
  /** Likewise for a folder. */
  readonly chooseFolder?: () => Promise<string | null>;
  /** Likewise for a file to be written; the system has asked before an existing one is chosen. */
  readonly chooseSavePath?: (suggestedName: string) => Promise<string | null>;
  /** Moves a file to the system's trash, where the host can. Throws where it fails. */
  readonly trash?: (path: string) => Promise<void>;
  /** The system's safe storage, where the host has one. */
  readonly secrets?: SecretStore;
  /** Whether the user of this host may open `path`, absolute and without links: the browser host limits its folders. */
  mayOpen(path: string): boolean;
  /** Where a path that doesn't say its folder begins; without it the process's own folder. */
  readonly startFolder?: string;
  /** The folders `mayOpen` is limited to, for the sentence that refuses a file elsewhere. */
  readonly openFolders?: readonly string[];
}

/** How a child process reads what its host posts; `null` where it was not started by one. */
export interface ParentPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}
