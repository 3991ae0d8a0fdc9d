import { type Child, connectChild } from '../rpc/child.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { RemoteProcessCalls, RemoteProcessEvents } from '../shared/remote/process-calls.ts';
import { fail } from '../shared/result.ts';
import type { ArgumentsOf, CallOptions, ResultOf } from '../shared/rpc.ts';

/** What to do with each thing that the process tells unasked. */
type RemoteListeners = {
  readonly [E in keyof RemoteProcessEvents]: (payload: RemoteProcessEvents[E]) => void;
};

/** The process that speaks SSH: started at the first call, and anew after it died. */
export interface RemoteClient {
  call<N extends keyof RemoteProcessCalls & string>(
    name: N,
    args: ArgumentsOf<RemoteProcessCalls, N>,
    options?: CallOptions,
  ): Promise<ResultOf<RemoteProcessCalls, N>>;
  /** Replaces who listened before. */
  onEvent(listeners: RemoteListeners): void;
  close(): void;
}

const EVENT_NAMES = ['question', 'questionGone', 'link', 'run', 'changed'] as const;

/** `args` are the process's own: see remote-process.ts. */
export function createRemoteClient(platform: HostPlatform, args: readonly string[]): RemoteClient {
  let listeners: RemoteListeners | undefined;
  let child: Child<RemoteProcessCalls> | undefined;
  let closed = false;

  function connected(): Child<RemoteProcessCalls> {
    if (child === undefined) {
      const launched = platform.launch('remote-process', args);
      const started = connectChild<RemoteProcessCalls>(launched);
      for (const name of EVENT_NAMES)
        started.client.on(name, (payload) => listeners?.[name](payload as never));
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
        'disconnected',
        'The process that speaks SSH ended unexpectedly: connect again. Captures on hosts go on.',
        result.error.message,
      );
    },
    onEvent(all) {
      listeners = all;
    },
    close() {
      closed = true;
      child?.process.kill();
      child = undefined;
    },
  };
}
