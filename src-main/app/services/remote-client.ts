import { hasNoRuns } from '../../remote/state/runs-folder.ts';
import type {
  RemoteProcessCalls,
  RemoteProcessEvents,
} from '../../shared/contract/remote-process-calls.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { ok } from '../../shared/rpc/result.ts';
import type { CallOptions, ResultOf } from '../../shared/rpc/rpc.ts';
import { createProcessClient, type ProcessClient } from './process-client.ts';

/** What to do with each thing that the process tells unasked. */
type RemoteListeners = {
  readonly [E in keyof RemoteProcessEvents]: (payload: RemoteProcessEvents[E]) => void;
};

/** The process that speaks SSH. */
export interface RemoteClient extends ProcessClient<RemoteProcessCalls> {
  /** The captures it knows. Where it does not run and none is kept, there is none, and it need not start. */
  runs(options: CallOptions): Promise<ResultOf<RemoteProcessCalls, 'runs'>>;
  /** Replaces who listened before. */
  onEvent(listeners: RemoteListeners): void;
}

const EVENT_NAMES = ['question', 'questionGone', 'link', 'run', 'changed'] as const;

/** `folder` and `agentsFolder` are the arguments of the process: see remote-process.ts. */
export function createRemoteClient(
  platform: HostPlatform,
  folder: string,
  agentsFolder: string,
): RemoteClient {
  let listeners: RemoteListeners | undefined;
  const client = createProcessClient<RemoteProcessCalls>(platform, {
    entry: 'remote-process',
    args: [folder, agentsFolder],
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
    async runs(options) {
      if (!client.isRunning() && (await hasNoRuns(folder))) return ok([]);
      return client.call('runs', {}, options);
    },
    onEvent(all) {
      listeners = all;
    },
  };
}
