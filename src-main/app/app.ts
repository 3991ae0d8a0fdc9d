import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallError, Calls, EventName, Events, Investigation } from '../shared/contract.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { Result } from '../shared/result.ts';
import type { CallContext, Handlers } from '../shared/rpc.ts';
import { aboutHandlers } from './about-handlers.ts';
import { createLibraryClient } from './library-client.ts';
import { libraryHandlers } from './library-handlers.ts';
import { OpenTraces } from './open-traces.ts';
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
  ): Promise<Result<TableBody, 'not-open' | 'not-found' | 'process-lost'>>;
  /** Lists a file that was streamed to `path` in this host's own folder; deletes it if it is no trace. */
  addUpload(
    path: string,
    context: CallContext,
  ): Promise<Result<Investigation, CallError<'library.add'>>>;
  /** Hands a file from the command line, the system or a second start to the user interface. */
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
  const launchFiles: string[] = [];
  const services = { platform, traces, library, sampleFile: options.sampleFile, launchFiles, emit };
  const handlers = {
    ...aboutHandlers(services),
    ...libraryHandlers(services),
    ...traceHandlers(services),
  };
  return {
    handlers,
    onEvent: (listener) => void listeners.push(listener),
    openTable: (traceId, table, columns) => traces.openTable(traceId, table, columns),
    async addUpload(path, context) {
      const added = await handlers['library.add']({ path }, context);
      // Only a file that can never open goes: the same bytes may have been listed before.
      if (!added.ok && added.error.code.startsWith('file-')) await rm(path, { force: true });
      return added;
    },
    requestOpen(path) {
      launchFiles.push(path);
      emit('launch.file', null);
    },
    async close() {
      library.close();
      await traces.closeAll();
    },
  };
}
