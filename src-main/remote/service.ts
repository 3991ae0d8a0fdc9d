import type { RemoteProcessCalls, RemoteProcessEvents } from '../shared/remote/process-calls.ts';
import type { Handlers } from '../shared/rpc.ts';

export interface RemoteOptions {
  /** Ours alone, 0700: saved hosts, known_hosts, runs. Made where it is missing. */
  readonly folder: string;
  /** `linux-x64/stalltrace-agent`, … and `status.json`. */
  readonly agentsFolder: string;
}

export type EmitRemote = <E extends keyof RemoteProcessEvents>(
  name: E,
  payload: RemoteProcessEvents[E],
) => void;

/** Everything that the process which speaks SSH can be asked. */
export function remoteHandlers(
  options: RemoteOptions,
  _emit: EmitRemote,
): Handlers<RemoteProcessCalls> {
  throw new Error(`not written yet: ${options.folder}`);
}
