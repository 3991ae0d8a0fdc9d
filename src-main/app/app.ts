import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { CallError, Calls, EventName, Events } from '../contract/contract.ts';
import type { AddedInvestigation } from '../shared/library/investigation.ts';
import type { DataFolderInfo } from '../shared/library/settings.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { Result } from '../shared/rpc/result.ts';
import type { CallContext, Handlers } from '../shared/rpc/rpc.ts';
import { atRest, collectGarbage } from '../system/at-rest.ts';
import { realPathNow } from '../system/real-path.ts';
import { FileStore } from './file-store/file-store.ts';
import type { IncomingFile } from './file-store/receive-stream.ts';
import { aboutHandlers } from './handlers/about.ts';
import { archiveHandlers } from './handlers/archive.ts';
import { libraryHandlers } from './handlers/library.ts';
import { notesHandlers } from './handlers/notes.ts';
import { perfettoHandlers } from './handlers/perfetto.ts';
import { pictureHandlers } from './handlers/picture.ts';
import { questionHandlers } from './handlers/questions.ts';
import { remoteHandlers } from './handlers/remote.ts';
import { reportHandlers } from './handlers/report.ts';
import { settingsHandlers } from './handlers/settings.ts';
import { sqlHandlers } from './handlers/sql.ts';
import { traceHandlers } from './handlers/trace.ts';
import { addStream } from './intake/add-file.ts';
import { type PackError, type PackedArchive, packArchive } from './opening/pack-archive.ts';
import { forwardRemoteEvents } from './remote-events.ts';
import { Connections } from './services/connections.ts';
import { HashQueue } from './services/hash-queue.ts';
import { launchOf } from './services/launch.ts';
import { createLibraryClient } from './services/library-client.ts';
import { createRemoteClient } from './services/remote-client.ts';
import { Removals } from './services/removals.ts';
import type { Services } from './services/services.ts';
import { KeptSecrets } from './sign-in/kept-secrets.ts';
import { SignInSecrets } from './sign-in/sign-in-secrets.ts';
import { Statements } from './statements/statements.ts';
import type { PerfettoOptions, TilesBody } from './trace-process/bulk-server.ts';
import { OpenTraces } from './traces/open-traces.ts';
import { TraceCopier } from './traces/trace-copier.ts';
import { isKnownTo, LibraryTender } from './upkeep/tend-library.ts';
import { VerdictQueue } from './upkeep/verdict-queue.ts';

export interface AppOptions {
  /** Where the library and scratch copies live; see data-folder.ts. */
  readonly dataFolder: string;
  /** What decided on that folder; where it isn't said, the user can't choose another one. */
  readonly dataFolderFrom?: DataFolderInfo['from'];
  /** Path of the bundled sample investigation, where this build has one. */
  readonly sampleFile?: string;
  readonly agentStatusFile?: string;
}

/** The services behind every host. A host adds a window, a socket or a command line, nothing more. */
export interface App {
  readonly handlers: Handlers<Calls>;
  onEvent(listener: <E extends EventName>(name: E, payload: Events[E]) => void): void;
  /** Tiles of the timeline of an open trace as one binary body, by a query as `tilesQuery` writes it. */
  openTiles(
    traceId: string,
    query: string,
    signal?: AbortSignal,
  ): Promise<Result<TilesBody, 'not-open' | 'not-found' | 'process-lost'>>;
  /** The timeline of an open trace as a trace of Perfetto, without private words where they are to be hidden. */
  openPerfetto(
    traceId: string,
    options: PerfettoOptions,
    signal?: AbortSignal,
  ): Promise<Result<Readable, 'not-open' | 'process-lost'>>;
  /** Runs one SQL statement over an open trace, for hosts that take all of its rows. */
  runStatement: Statements['run'];
  /** The bytes of a .stalltrace file of an entry of the library; aborting `signal` ends them. */
  openArchive(id: number, signal: AbortSignal): Promise<Result<PackedArchive, PackError>>;
  /** `library.add` for a file that is sent; `received` is called once all of it is here. */
  addStream(
    file: IncomingFile,
    context: CallContext,
    received: () => void,
  ): Promise<Result<AddedInvestigation, CallError<'library.add'>>>;
  /**
   * Hands a file, or a `stalltrace:` link, from the command line, the system or a second start to the
   * user interface.
   */
  requestOpen(path: string): void;
  /** Looks after the library from now on: for hosts that stay. */
  tendLibrary(): void;
  /** Ends all child processes and removes what they left in the temporary folder. */
  close(): Promise<void>;
}

export function createApp(platform: HostPlatform, options: AppOptions): App {
  const listeners: (<E extends EventName>(name: E, payload: Events[E]) => void)[] = [];
  function emit<E extends EventName>(name: E, payload: Events[E]): void {
    if (name === 'library.changed') {
      tender.changed();
      verdicts.changed();
    }
    for (const listener of listeners) listener(name, payload);
  }
  const services = createServices(platform, options, emit);
  const { traces, statements, library, copier, hashing, removals, remote, connections, launches } =
    services;
  const tender = new LibraryTender(services);
  const verdicts = new VerdictQueue(services, {
    scratch: join(services.dataFolder.path, 'scratch'),
    cache: join(services.dataFolder.path, 'cache'),
  });
  // Its memory counts to that of the traces which are open.
  const isUsed = atRest(collectGarbage);
  const handlers = {
    ...aboutHandlers(services),
    ...libraryHandlers(services),
    ...notesHandlers(services),
    ...settingsHandlers(services),
    ...questionHandlers(services),
    ...sqlHandlers(services),
    ...traceHandlers(services),
    ...reportHandlers(services),
    ...archiveHandlers(services),
    ...perfettoHandlers(services),
    ...pictureHandlers(services),
    ...remoteHandlers(services),
  };
  return {
    handlers,
    onEvent: (listener) => void listeners.push(listener),
    openTiles(traceId, query, signal) {
      isUsed();
      return traces.openTiles(traceId, query, signal);
    },
    openPerfetto: (traceId, options, signal) => traces.openPerfetto(traceId, options, signal),
    runStatement: (...args) => statements.run(...args),
    openArchive: (id, signal) =>
      packArchive(services, id, { signal, session: signal, progress: () => undefined }),
    addStream: (file, context, received) => addStream(services, file, context, received),
    requestOpen(path) {
      launches.push(launchOf(path));
      emit('launch.waiting', null);
    },
    tendLibrary() {
      tender.begin();
      verdicts.begin();
    },
    async close() {
      for (const service of [tender, hashing, removals]) service.close();
      statements.closeAll();
      const signOut = async () => {
        try {
          await connections.closeAll();
        } finally {
          await remote.close();
        }
      };
      const traceProcesses = [verdicts.close(), traces.closeAll(), copier.close()];
      await Promise.all([signOut(), ...traceProcesses, library.close()]);
    },
  };
}

function createServices(
  platform: HostPlatform,
  options: AppOptions,
  emit: Services['emit'],
): Services {
  // Links resolved: files are known by the paths that the system gives back.
  const dataFolder = {
    path: realPathNow(options.dataFolder),
    from: options.dataFolderFrom ?? 'environment',
  };
  const scratchFolder = join(dataFolder.path, 'scratch');
  const cacheFolder = join(dataFolder.path, 'cache');
  const onLost = (traceId: string, message: string) => emit('trace.lost', { traceId, message });
  const traces = new OpenTraces(platform, scratchFolder, onLost, undefined, undefined, cacheFolder);
  const library = createLibraryClient(platform, dataFolder.path, () =>
    emit('library.changed', null),
  );
  const files = new FileStore(dataFolder.path, isKnownTo(library));
  return {
    platform,
    dataFolder,
    traces,
    statements: new Statements(platform, traces),
    library,
    files,
    copier: new TraceCopier(platform, scratchFolder),
    hashing: new HashQueue(library, () => emit('library.changed', null)),
    removals: new Removals({ platform, library, files, emit, cacheFolder }),
    ...remoteServices(platform, dataFolder.path, options, emit),
    sampleFile: options.sampleFile,
    agentStatusFile: options.agentStatusFile,
    launches: [],
    emit,
  };
}

function remoteServices(
  platform: HostPlatform,
  dataFolder: string,
  { agentStatusFile }: AppOptions,
  emit: Services['emit'],
): Pick<Services, 'remote' | 'connections' | 'kept' | 'signIn'> {
  const folder = join(dataFolder, 'remote');
  const agentsFolder = agentStatusFile === undefined ? '' : dirname(agentStatusFile);
  const remote = createRemoteClient(platform, folder, agentsFolder);
  const kept = new KeptSecrets(join(folder, 'secrets.json'), platform.secrets);
  const signIn = new SignInSecrets(kept, (question, answer) =>
    remote.call('answer', { question, answer }),
  );
  forwardRemoteEvents(remote, signIn, emit);
  return { remote, connections: new Connections(remote), kept, signIn };
}
