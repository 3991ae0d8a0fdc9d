import { type Child, connectChild } from '../rpc/child.ts';
import type { HostPlatform, ProcessEntry } from '../shared/platform.ts';
import { type Failure, fail } from '../shared/result.ts';
import type { ArgumentsOf, CallOptions, CallTable, ErrorOf, ResultOf } from '../shared/rpc.ts';

/** A process of ours that lasts as long as the app: started at the first call, and anew after it died. */
export interface ProcessClient<Table extends CallTable> {
  call<N extends keyof Table & string>(
    name: N,
    args: ArgumentsOf<Table, N>,
    options?: CallOptions,
  ): Promise<ResultOf<Table, N>>;
  close(): void;
}

interface ProcessOptions<Table extends CallTable> {
  readonly entry: ProcessEntry;
  readonly args: readonly string[];
  /** What is told where it died during a call: every call may fail with that code. */
  readonly died: Failure<ErrorOf<Table, keyof Table>>;
  /** Each time it was started. */
  readonly onStart?: (client: Child<Table>['client']) => void;
}

export function createProcessClient<Table extends CallTable>(
  platform: HostPlatform,
  { entry, args: processArgs, died, onStart }: ProcessOptions<Table>,
): ProcessClient<Table> {
  let child: Child<Table> | undefined;
  let closed = false;

  function connected(): Child<Table> {
    if (child === undefined) {
      const launched = platform.launch(entry, processArgs);
      const started = connectChild<Table>(launched);
      onStart?.(started.client);
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
      return fail(died.code, died.message, result.error.message);
    },
    close() {
      closed = true;
      child?.process.kill();
      child = undefined;
    },
  };
}
