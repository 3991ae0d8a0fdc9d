import type { Readable, Writable } from 'node:stream';
import type { TransportKind } from '../../shared/remote/host-target.ts';
import type { HostKey } from '../../shared/remote/questions.ts';
import type { Result } from '../../shared/rpc/result.ts';

/** How a command ended. */
export interface ChannelExit {
  /** `null`: by a signal, or nobody said, as when the link broke: then nothing it printed is complete. */
  readonly code: number | null;
  readonly signal?: string;
}

/** A command that runs on the host. */
export interface Channel {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles once, never rejects: after both outputs ended, or when the link broke. */
  readonly exit: Promise<ChannelExit>;
  /** Ends it without waiting: whoever reads sees the end of its outputs. */
  close(): void;
}

export type ExecError =
  | 'link-lost'
  /** The server allows no more sessions over this connection now (MaxSessions). */
  | 'no-more-channels';

/** Why a connection is over; a sentence. */
export interface TransportEnd {
  readonly why: string;
  /** Whether the app closed it. */
  readonly wanted: boolean;
}

/** One SSH connection to a host. When it breaks, everything over it settles: nothing waits for ever. */
export interface Transport {
  readonly kind: TransportKind;
  readonly facts: {
    readonly hostKey?: HostKey;
    readonly signedInWith: string;
    /** `user@address:port` of the hops before. */
    readonly via: readonly string[];
  };
  /** Runs `command` by the user's login shell, whatever shell that is: plain words only. */
  exec(command: string): Promise<Result<Channel, ExecError>>;
  /** Settles once when the connection is over, for whatever reason. */
  readonly ended: Promise<TransportEnd>;
  close(): void;
}
