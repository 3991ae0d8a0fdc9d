import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type {
  CatalogueEntry,
  LibraryProcessCalls,
} from '../../src-main/shared/contract/library-process-calls.ts';
import type { Investigation } from '../../src-main/shared/library/investigation.ts';
import type { RpcClient } from '../../src-main/shared/rpc/rpc.ts';
import { answerOf, forkLibrary } from './fork-library.ts';

/** The catalogue's process of the build; `endLibraryProcesses` after each test. */
export interface LibraryProcess {
  readonly call: RpcClient<LibraryProcessCalls>['call'];
  /** Puts a file on the list that need not exist. */
  add(name: string, changes?: Partial<CatalogueEntry>): Promise<Investigation>;
  names(search?: string): Promise<string[]>;
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL, as hosts end it. */
  kill(): Promise<void>;
  /** As it ends when its host has gone. */
  disconnect(): Promise<void>;
}

const running = new Map<ChildProcess, Promise<unknown>>();

/** Kills them; once it resolves none writes to its folder any more. */
export async function endLibraryProcesses(): Promise<void> {
  for (const child of running.keys()) child.kill('SIGKILL');
  await Promise.all(running.values());
}

export function startLibraryProcess(dataFolder: string): LibraryProcess {
  const { child, client } = forkLibrary(dataFolder);
  const exited = once(child, 'exit');
  running.set(child, exited);
  child.once('exit', () => running.delete(child));
  return {
    call: client.call,
    async add(name, changes = {}) {
      const entry: CatalogueEntry = {
        path: `/nowhere/${name}`,
        name,
        format: 'Ingero',
        sizeBytes: 1,
        sample: false,
        synthetic: false,
        storage: 'referenced',
        processes: [],
        ...changes,
      };
      return answerOf(await client.call('put', { entry })).investigation;
    },
    async names(search) {
      const listed = await client.call('list', search === undefined ? {} : { search });
      return answerOf(listed).map(({ name }) => name);
    },
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async disconnect() {
      child.disconnect();
      await exited;
    },
  };
}
