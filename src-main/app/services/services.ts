import type { Calls, EventName, Events } from '../../contract/contract.ts';
import type { Launch } from '../../shared/contract/app-calls.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import type { Handlers } from '../../shared/rpc/rpc.ts';
import type { FileStore } from '../file-store/file-store.ts';
import type { KeptSecrets } from '../sign-in/kept-secrets.ts';
import type { SignInSecrets } from '../sign-in/sign-in-secrets.ts';
import type { Statements } from '../statements/statements.ts';
import type { OpenTraces } from '../traces/open-traces.ts';
import type { TraceCopier } from '../traces/trace-copier.ts';
import type { Connections } from './connections.ts';
import type { DataFolder } from './data-folder.ts';
import type { HashQueue } from './hash-queue.ts';
import type { LibraryClient } from './library-client.ts';
import type { RemoteClient } from './remote-client.ts';
import type { Removals } from './removals.ts';

/** What the handlers are made of. */
export interface Services {
  readonly platform: HostPlatform;
  readonly dataFolder: DataFolder;
  readonly traces: OpenTraces;
  readonly statements: Statements;
  readonly library: LibraryClient;
  /** The library's own copies of files. */
  readonly files: FileStore;
  readonly copier: TraceCopier;
  readonly hashing: HashQueue;
  readonly removals: Removals;
  /** Hosts and captures. */
  readonly remote: RemoteClient;
  readonly connections: Connections;
  /** In the system's safe storage. */
  readonly kept: KeptSecrets;
  readonly signIn: SignInSecrets;
  readonly sampleFile: string | undefined;
  /** What scripts/build-agent.mjs wrote. */
  readonly agentStatusFile: string | undefined;
  /** What waits for `app.launch`, oldest first. */
  readonly launches: Launch[];
  emit<E extends EventName>(name: E, payload: Events[E]): void;
}

/** The handlers whose names begin with `Area.`. */
export type AreaHandlers<Area extends string> = Pick<
  Handlers<Calls>,
  Extract<keyof Calls, `${Area}.${string}`>
>;
