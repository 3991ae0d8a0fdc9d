import type { TransportKind } from '../../shared/remote/host-target.ts';

/** A host with all that the SSH configuration says of it: paths absolute, tokens expanded. */
export interface ResolvedHost {
  /** What the user typed or chose. */
  readonly name: string;
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** The name its key is known under: HostKeyAlias, else hostName. */
  readonly keyName: string;
  readonly identityFiles: readonly string[];
  readonly identitiesOnly: boolean;
  /** Path of the agent's socket (on Windows a named pipe, or `pageant`); absent: no agent. */
  readonly agentSocket?: string;
  /** First hop first; each resolved by itself. */
  readonly jumps: readonly ResolvedHost[];
  readonly strictHostKeyChecking: 'yes' | 'ask' | 'accept-new' | 'no';
  /** Read only. */
  readonly knownHostsFiles: readonly string[];
  /** Lower case, the order to try them in; absent: all that can be done. */
  readonly preferredAuthentications?: readonly string[];
  readonly connectTimeoutMs: number;
  /** Why only the system's `ssh` can reach it: ProxyCommand, CertificateFile, …: a sentence. */
  readonly needsSystemSsh?: string;
  /** What the user asked for. */
  readonly transport?: TransportKind;
}
