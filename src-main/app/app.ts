import { join } from 'node:path';
import type { Launch } from '../shared/contract/app-calls.ts';
import type { Calls, EventName, Events } from '../shared/contract.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { Result } from '../shared/result.ts';
import type { Handlers } from '../shared/rpc.ts';
import { aboutHandlers } from './about-handlers.ts';
import { archiveHandlers } from './archive-handlers.ts';
import { launchOf } from './launch.ts';
import { createLibraryClient } from './library-client.ts';
import { libraryHandlers } from './library-handlers.ts';
import { notesHandlers } from './notes-handlers.ts';
import { OpenTraces } from './open-traces.ts';
import { type PackError, type PackedArchive, packArchive } from './pack-archive.ts';
import { pendingHandlers } from './pending-handlers.ts';
import { pictureHandlers } from './picture-handlers.ts';
import { reportHandlers } from './report-handlers.ts';
import { settingsHandlers } from './settings-handlers.ts';
import type { TableBody } from './table-server.ts';
import { traceHandlers } from './trace-handlers.ts';

export interface AppOptions {
  /** Where the library and scratch copies live; see data-folder.ts. */
  readonly dataFolder: string;
  /** Path of the bundled sample investigation, where this build has one. */
  readonly sampleFile?: string;
}

/** The services behind every host. A host adds a window, a socket or a command line, nothing more. */
export interface App {
  readonly handlers: Handlers<Calls>;
  onEvent(listener: <E extends EventName>(name: E, payload: Events[E]) => void): void;
  /** The binary body of a table of an open trace; all columns where `columns` is undefined. */
  openTable(
    traceId: string,
    table: string,
    columns: readonly string[] | undefined,
    signal?: AbortSignal,
  ): Promise<Result<TableBody, 'not-open' | 'not-found' | 'process-lost'>>;
  /** The bytes of a .stalltrace file of an entry of the library; aborting `signal` ends them. */
  openArchive(id: number, signal: AbortSignal): Promise<Result<PackedArchive, PackError>>;
  /** Hands a file, or a `stalltrace:` link, from the command line, the system or a second start to the user interface. */
  requestOpen(path: string): void;
  /** Ends all child processes and removes what they left in the temporary folder. */
  close(): Promise<void>;
}

export function createApp(platform: HostPlatform, options: AppOptions): App {
  const listeners: (<E extends EventName>(name: E, payload: Events[E]) => void)[] = [];
  function emit<E extends EventName>(name: E, payload: Events[E]): void {
    for (const listener of listeners) listener(name, payload);
  }
  const traces = new OpenTraces(platform, join(options.dataFolder, 'scratch'), (traceId, message) =>
    emit('trace.lost', { traceId, message }),
  );
  const library = createLibraryClient(platform, options.dataFolder);
  const launches: Launch[] = [];
  const services = { platform, traces, library, sampleFile: options.sampleFile, launches, emit };
  const handlers = {
    ...aboutHandlers(services),
    ...libraryHandlers(services),
    ...notesHandlers(services),
    ...settingsHandlers(services),
    ...traceHandlers(services),
    ...reportHandlers(services),
    ...archiveHandlers(services),
    ...pictureHandlers(services),
    ...pendingHandlers,
  };
  return {
    handlers,
    onEvent: (listener) => void listeners.push(listener),
    openTable: (traceId, table, columns, signal) =>
      traces.openTable(traceId, table, columns, signal),
    openArchive: (id, signal) =>
      packArchive(services, id, { signal, session: signal, progress: () => undefined }),
    requestOpen(path) {
      launches.push(launchOf(path));
      emit('launch.waiting', null);
    },
    async close() {
      library.close();
      await traces.closeAll();
    },
  };
}
