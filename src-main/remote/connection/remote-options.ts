import type { RemoteProcessEvents } from '../../shared/contract/remote-process-calls.ts';

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
