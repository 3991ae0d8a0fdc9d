import { fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { connectChild } from '../../src-main/rpc/child.ts';
import type { Investigation } from '../../src-main/shared/investigation.ts';
import type {
  CatalogueEntry,
  LibraryProcessCalls,
} from '../../src-main/shared/process-contract.ts';
import type { Result } from '../../src-main/shared/result.ts';
import type { RpcClient } from '../../src-main/shared/rpc.ts';
import { builtFile } from './built.ts';

/** The catalogue's process of the build, as a host starts it. */
export interface LibraryProcess {
  readonly call: RpcClient<LibraryProcessCalls>['call'];
  /** Puts a file on the list that need not exist. */
  add(name: string, changes?: Partial<CatalogueEntry>): Promise<Investigation>;
  names(search?: string): Promise<string[]>;
  /** SIGKILL, as hosts end it. */
  kill(): Promise<void>;
  /** As it ends when its host has gone. */
  disconnect(): Promise<void>;
}

export function startLibraryProcess(dataFolder: string): LibraryProcess {
  const child = fork(builtFile('main/library-process.js'), [dataFolder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const { client } = connectChild<LibraryProcessCalls>({
    post: (message) => void (child.connected && child.send(message as object)),
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.on('exit', () => listener('The process ended.')),
    kill: () => void child.kill('SIGKILL'),
  });
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
      return answerOf(await client.call('put', { entry, opened: false }));
    },
    async names(search) {
      const listed = await client.call('list', search === undefined ? {} : { search });
      return answerOf(listed).map(({ name }) => name);
    },
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

/** The value of a call that has to succeed. */
export function answerOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}
