import type {
  RemoteProcessCalls,
  RemoteProcessEvents,
} from '../../shared/contract/remote-process-calls.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { createProcessClient, type ProcessClient } from './process-client.ts';

/** What to do with each thing that the process tells unasked. */
type RemoteListeners = {
  readonly [E in keyof RemoteProcessEvents]: (payload: RemoteProcessEvents[E]) => void;
};

/** The process that speaks SSH. */
export interface RemoteClient extends ProcessClient<RemoteProcessCalls> {
  /** Replaces who listened before. */
  onEvent(listeners: RemoteListeners): void;
}

const EVENT_NAMES = ['question', 'questionGone', 'link', 'run', 'changed'] as const;

/** `args` are the process's own: see remote-process.ts. */
export function createRemoteClient(platform: HostPlatform, args: readonly string[]): RemoteClient {
  let listeners: RemoteListeners | undefined;
  const client = createProcessClient<RemoteProcessCalls>(platform, {
    entry: 'remote-process',
    args,
    died: {
      code: 'disconnected',
      message:
        'The process that speaks SSH ended unexpectedly: connect again. Captures on hosts go on.',
    },
    onStart(started) {
      for (const name of EVENT_NAMES)
        started.on(name, (payload) => listeners?.[name](payload as never));
    },
  });
  return {
    ...client,
    onEvent(all) {
      listeners = all;
    },
  };
}
