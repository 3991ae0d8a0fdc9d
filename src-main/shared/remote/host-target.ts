import { z } from 'zod';

/** What a host name, a user or an alias may hold: no option for `ssh`, no space, no control character. */
const word = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\s\p{Cc}-][^\s\p{Cc}]*$/u);

/**
 * Which program speaks SSH: the app's own (`ssh2`), or the `ssh` of this machine, for certificates,
 * security keys, ProxyCommand and GSSAPI. Absent: the first that can reach the host.
 */
const transportKind = z.enum(['ssh2', 'system']);
export type TransportKind = z.infer<typeof transportKind>;

/**
 * How to reach a host, as the user said it: never a secret. What is absent is taken from the user's
 * SSH configuration for `name`, when it is connected.
 */
export const hostTarget = z.strictObject({
  /** A `Host` of the SSH configuration, a DNS name or an address. */
  name: word(255),
  user: word(64).optional(),
  port: z.number().int().min(1).max(65_535).optional(),
  /** Paths of private keys on this machine, tried in this order before those of the configuration. */
  identityFiles: z.array(z.string().min(1).max(4096)).max(8).optional(),
  /** `user@host:port`, first hop first; an empty list means none, whatever the configuration says. */
  jumps: z.array(word(400)).max(8).optional(),
  transport: transportKind.optional(),
});
export type HostTarget = z.infer<typeof hostTarget>;

/** A host that can be chosen. */
export interface KnownHost {
  /** `config:‹alias›` or `saved:‹uuid›`. */
  readonly id: string;
  readonly label: string;
  readonly target: HostTarget;
  readonly from: 'ssh-config' | 'saved';
  /** What the configuration resolves to, for the list: `user@address:port`; absent where it can't be read. */
  readonly address?: string;
  /** ISO 8601. */
  readonly lastConnected?: string;
}

export interface HostList {
  readonly hosts: readonly KnownHost[];
  /** What of the SSH configuration could not be read or is left out, a sentence each. */
  readonly problems: readonly string[];
  /** The file that was read; absent where there is none. */
  readonly configFile?: string;
}
