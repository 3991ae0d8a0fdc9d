import { type Child, connectChild } from '../rpc/child.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { RemoteProcessCalls, RemoteProcessEvents } from '../shared/remote/process-calls.ts';
import { fail } from '../shared/result.ts';
import type { ArgumentsOf, CallOptions, ResultOf } from '../shared/rpc.ts';
import type { Services } from './services.ts';

/** The process that speaks SSH: started at the first call, and anew after it died. */
export interface RemoteClient {
  call<N extends keyof RemoteProcessCalls & string>(
    name: N,
    args: ArgumentsOf<RemoteProcessCalls, N>,
    options?: CallOptions,
  ): Promise<ResultOf<RemoteProcessCalls, N>>;
  onEvent(
    listener: <E extends keyof RemoteProcessEvents>(
      name: E,
      payload: RemoteProcessEvents[E],
    ) => void,
  ): void;
  close(): void;
}

const EVENT_NAMES = ['question', 'questionGone', 'link', 'run', 'changed'] as const;

/** `args` are the process's own: see remote-process.ts. */
export function createRemoteClient(platform: HostPlatform, args: readonly string[]): RemoteClient {
  const listeners: Parameters<RemoteClient['onEvent']>[0][] = [];
  let child: Child<RemoteProcessCalls> | undefined;
  let closed = false;

  function connected(): Child<RemoteProcessCalls> {
    if (child === undefined) {
      const launched = platform.launch('remote-process', args);
      const started = connectChild<RemoteProcessCalls>(launched);
      for (const name of EVENT_NAMES) {
        started.client.on(name, (payload) => {
          for (const listener of listeners) listener(name, payload as never);
        });
      }
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
    onEvent: (listener) => void listeners.push(listener),
    close() {
      closed = true;
      child?.process.kill();
      child = undefined;
    },
  };
}

/** Tells every window what the process tells; each knows what is meant for it. */
export function forwardRemoteEvents(remote: RemoteClient, emit: Services['emit']): void {
  remote.onEvent((name, payload) => emit(`remote.${name}`, payload as never));
}
