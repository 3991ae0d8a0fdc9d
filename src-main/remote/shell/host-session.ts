import type { HostError } from '../../shared/remote/connection.ts';
import type { MeasuredOffset } from '../../shared/remote/measured-clock.ts';
import type { Preflight, Privilege } from '../../shared/remote/preflight.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { Link } from '../link/link.ts';
import type { Channel } from '../transport/transport.ts';

/** What is known of a host after its preflight; the agent is in its place. */
export interface HostSession {
  readonly link: Link;
  /** `/proc/sys/kernel/random/boot_id`: another one after a restart. */
  readonly bootId: string;
  readonly userName: string;
  /** The signing-in user's login shell, absolute. */
  readonly loginShell: string;
  /** Our folder on the host that traces go to (`captures/`): marked, 0700, the signing-in user's. */
  readonly baseFolder: string;
  /** In the same folder, or in another of ours where that one may hold no programs. */
  readonly agentPath: string;
  /** All folders of ours that are on the host, each marked, these two among them. */
  readonly baseFolders: readonly string[];
  /** Absent where the host did not say what time it is. */
  readonly clock?: MeasuredOffset;
  /** Asks the host for the time once more; `undefined` where it does not say. */
  measureClock(signal: AbortSignal): Promise<MeasuredOffset | undefined>;
  readonly privilege: Privilege;
  readonly preflight: Preflight;
  /**
   * Starts the agent with `args`; settles after its first line of output, or its end. With `asRoot`
   * by the means that the preflight found; the password goes over stdin. `signal` ends the starting;
   * the channel that comes of it is its owner's to close.
   */
  openAgent(
    args: readonly string[],
    options: {
      readonly asRoot: boolean;
      readonly signal: AbortSignal;
      /** Where the server gives no more sessions: wait for one, the default, or `no-more-channels`. */
      readonly whenFull?: 'wait' | 'fail';
    },
  ): Promise<Result<AgentChannel, HostError | 'cancelled'>>;
  /** Runs a script for `sh`; output beyond 1 MiB is an error. `words` are its $1, $2 …, quoted here. */
  runScript(
    script: string,
    words: readonly string[],
    options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<Result<ScriptOutput, HostError | 'cancelled'>>;
}

export interface ScriptOutput {
  readonly stdout: string;
  /** The last 32 KB, control characters taken out. */
  readonly stderr: string;
  readonly code: number;
}

/** The agent as it talks: what it prints, byte for byte, from its first line on; `stdout` is paused. */
export interface AgentChannel extends Channel {
  /** The last 32 KB of its standard error so far, control characters and secrets taken out. */
  stderrTail(): string;
}
