import { type ChildProcess, fork } from 'node:child_process';
import { connectChild } from '../../src-main/rpc/child.ts';
import type { LibraryProcessCalls } from '../../src-main/shared/contract/library-process-calls.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import type { RpcClient } from '../../src-main/shared/rpc/rpc.ts';
import { builtFile } from './built.ts';

/** The catalogue's process of the build, as a host starts it. */
export function forkLibrary(dataFolder: string): {
  readonly child: ChildProcess;
  readonly client: RpcClient<LibraryProcessCalls>;
} {
  const child = fork(builtFile('main/library-process.js'), [dataFolder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const { client } = connectChild<LibraryProcessCalls>({
    // Of one that was killed just now its end tells.
    post: (message) => void (child.connected && child.send(message as object, () => undefined)),
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.on('exit', () => listener('The process ended.')),
    kill: () => void child.kill('SIGKILL'),
  });
  return { child, client };
}

/** The value of a call that has to succeed. */
export function answerOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}
