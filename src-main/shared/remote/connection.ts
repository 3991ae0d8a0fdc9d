import type { TransportKind } from './host-target.ts';
import type { HostKey } from './questions.ts';

/** A host that is signed in to. */
export interface ConnectedHost {
  /** The id its caller chose. */
  readonly connection: string;
  /** What the user calls it. */
  readonly label: string;
  readonly user: string;
  /** `user@address:port`. */
  readonly address: string;
  /** The hops before it, first hop first, as `user@address:port`. */
  readonly via: readonly string[];
  readonly transport: TransportKind;
  /** Absent with the system's `ssh`, which checks it itself. */
  readonly hostKey?: HostKey;
  /** How it signed in: `publickey (~/.ssh/id_ed25519)`, `password`, … */
  readonly signedInWith: string;
}

export type LinkState =
  | { readonly kind: 'connected' }
  | {
      readonly kind: 'reconnecting';
      /** From 1. */
      readonly attempt: number;
      /** Unix milliseconds of the next attempt; absent while one runs. */
      readonly nextAtMs?: number;
      readonly why: string;
    }
  /** For good: a person has to connect again. */
  | { readonly kind: 'closed'; readonly why: string };

/** What connecting and talking to a host can fail with; each message is a sentence with the next step. */
export const connectErrors = [
  'bad-target',
  'config-unreadable',
  'host-not-found',
  'unreachable',
  'connection-refused',
  'timed-out',
  'no-ssh-server',
  'no-common-algorithm',
  'host-key-unknown',
  'host-key-changed',
  'host-key-revoked',
  'sign-in-failed',
  'key-unreadable',
  'needs-system-ssh',
  'no-system-ssh',
  'pty-required',
  'link-lost',
  'not-connected',
] as const;
export type ConnectError = (typeof connectErrors)[number];

/** What work on a host that is signed in to can fail with. */
export const hostErrors = [
  'link-lost',
  'not-connected',
  'no-shell',
  'not-linux',
  'unsupported-architecture',
  'no-agent-built',
  'no-place',
  'host-disk-full',
  'deploy-failed',
  'agent-failed',
  'agent-mismatch',
  'no-permission',
  /** The server allows no more sessions over this connection now (MaxSessions). */
  'no-more-channels',
  'timed-out',
] as const;
export type HostError = (typeof hostErrors)[number];
