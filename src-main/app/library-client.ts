import { type Child, connectChild } from '../rpc/child.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { LibraryProcessCalls } from '../shared/process-contract.ts';
import { fail } from '../shared/result.ts';
import type { ArgumentsOf, CallOptions, ResultOf } from '../shared/rpc.ts';

/** The library process: started at the first call, started again after it died. */
export interface LibraryClient {
  call<N extends keyof LibraryProcessCalls & string>(
    name: N,
    args: ArgumentsOf<LibraryProcessCalls, N>,
    options?: CallOptions,
  ): Promise<ResultOf<LibraryProcessCalls, N>>;
  close(): void;
}

export function createLibraryClient(platform: HostPlatform, dataFolder: string): LibraryClient {
  let child: Child<LibraryProcessCalls> | undefined;
  let closed = false;

  function connected(): Child<LibraryProcessCalls> {
    if (child === undefined) {
      const launched = platform.launch('library-process', [dataFolder]);
      const started = connectChild<LibraryProcessCalls>(launched);
      launched.onExit(() => {
        if (child === started) child = undefined;
      });
      child = started;
    }
    return child;
  }

  return {
    async call(name, args, options) {
      if (closed) return fail('disconnected', 'Stalltrace is closing.');
      const result = await connected().client.call(name, args, options);
      if (result.ok || result.error.code !== 'disconnected') return result;
      return fail(
        'library-unavailable',
        'The library process ended unexpectedly: try again.',
        result.error.message,
      );
    },
    close() {
      closed = true;
      child?.process.kill();
      child = undefined;
    },
  };
}
