import type { HostTarget, TransportKind } from '../../shared/remote/host-target.ts';

/** Between two signs of life that are asked of a host; after three without one its link is lost. */
export const KEEP_ALIVE_MS = 5000;

/** A host with all that the SSH configuration says of it: paths absolute, tokens expanded. */
export interface ResolvedHost {
  /** What the user typed or chose. */
  readonly name: string;
  /** All of it; of a hop, what the `ProxyJump` says. */
  readonly target: HostTarget;
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** The name its key is known under, as known_hosts writes it: HostKeyAlias, else `host` or `[host]:port`. */
  readonly keyName: string;
  readonly identityFiles: readonly string[];
  readonly identitiesOnly: boolean;
  /** Path of the agent's socket (on Windows a named pipe, or `pageant`); absent: no agent. */
  readonly agentSocket?: string;
  /** First hop first; each resolved by itself. */
  readonly jumps: readonly ResolvedHost[];
  readonly strictHostKeyChecking: 'yes' | 'ask' | 'accept-new' | 'no';
  /** The user's, then the machine's. Read only. */
  readonly knownHostsFiles: readonly string[];
  /** Lower case, the order to try them in; absent: all that can be done. */
  readonly preferredAuthentications?: readonly string[];
  readonly connectTimeoutMs: number;
  /** ServerAliveInterval, where it is shorter than KEEP_ALIVE_MS. */
  readonly keepAliveMs?: number;
  /** Why only the system's `ssh` can reach it: ProxyCommand, CertificateFile, …: a sentence. */
  readonly needsSystemSsh?: string;
  /** The user did not allow the configuration's `Match exec`, which the system's `ssh` would run. */
  readonly matchExecDeclined?: boolean;
  /** What the user asked for. */
  readonly transport?: TransportKind;
}
