import { type Child, connectChild } from '../../rpc/child.ts';
import type { HostPlatform, ProcessEntry } from '../../shared/platform.ts';
import { type Failure, fail } from '../../shared/rpc/result.ts';
import type {
  ArgumentsOf,
  CallOptions,
  CallTable,
  ErrorOf,
  ResultOf,
} from '../../shared/rpc/rpc.ts';

/** A process of ours that lasts as long as the app: started at the first call, and anew after it died. */
export interface ProcessClient<Table extends CallTable> {
  call<N extends keyof Table & string>(
    name: N,
    args: ArgumentsOf<Table, N>,
    options?: CallOptions,
  ): Promise<ResultOf<Table, N>>;
  isRunning(): boolean;
  /** Ends the process at once, or once `last` was answered. */
  close(last?: LastCall<Table>): Promise<void>;
}

/** What a process is asked before it is ended, and how long it has for that. */
interface LastCall<Table extends CallTable> {
  readonly call: (client: Child<Table>['client']) => Promise<unknown>;
  readonly withinMs: number;
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
    isRunning: () => child !== undefined,
    async close(last) {
      closed = true;
      const ending = child;
      if (ending !== undefined && last !== undefined)
        await within(last.withinMs, last.call(ending.client));
      ending?.process.kill();
      child = undefined;
    },
  };
}

/** Resolves when `done` does, and in any case after that time. */
async function within(timeMs: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeMs);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
