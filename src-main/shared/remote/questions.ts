import { z } from 'zod';

/** A host's public key, as people compare it. */
export interface HostKey {
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256`, … */
  readonly type: string;
  /** `SHA256:` and base64 without padding, as OpenSSH prints it. */
  readonly fingerprint: string;
}

/** Where a key of a host is written down. */
export interface RecordedHostKey extends HostKey {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

interface Asked {
  readonly id: string;
  /** The connection that waits for the answer: the id its caller chose. */
  readonly connection: string;
  /** Who asks: `user@host:port` of this hop. */
  readonly host: string;
}

/** Whether this machine can keep secrets for the next time; else why not. */
export type Keeping =
  | { readonly possible: true }
  | { readonly possible: false; readonly why: string };

interface AskedSecret extends Asked {
  /** From 1: asked again after a wrong one. */
  readonly attempt: number;
  /** The process that asks does not know: the host fills it in. Never possible for a sudo password. */
  readonly keeping: Keeping;
}

/** What a connection needs a person for. */
export type RemoteQuestion =
  | (Asked & {
      readonly kind: 'host-key';
      readonly key: HostKey;
      /** Names under which the same key is known already. */
      readonly alsoKnownAs: readonly string[];
    })
  | (Asked & {
      readonly kind: 'host-key-changed';
      readonly key: HostKey;
      readonly known: readonly RecordedHostKey[];
      /** Whether the app may write it: only in its own known_hosts, never in the user's. */
      readonly replaceable: boolean;
    })
  | (AskedSecret & { readonly kind: 'passphrase'; readonly keyFile: string })
  | (AskedSecret & { readonly kind: 'password' })
  | (AskedSecret & { readonly kind: 'sudo-password'; readonly user: string })
  | (Asked & {
      readonly kind: 'prompts';
      readonly name: string;
      readonly instruction: string;
      readonly prompts: readonly { readonly text: string; readonly echo: boolean }[];
    })
  | (Asked & {
      /** `Match exec` of the SSH configuration: run them, or read on as if none matched? */
      readonly kind: 'match-exec';
      readonly commands: readonly string[];
    });

export type QuestionKind = RemoteQuestion['kind'];

/** `cancel` ends the connection attempt; for a sudo password it means: without. */
export const remoteAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cancel') }),
  /** For `host-key`: for good, or this time only. */
  z.strictObject({ kind: z.literal('trust'), once: z.boolean() }),
  /** For `host-key-changed`: the key asked about takes the place of the known ones. */
  z.strictObject({ kind: z.literal('replace') }),
  /** One text for a secret, one for each prompt otherwise. */
  z.strictObject({
    kind: z.literal('texts'),
    texts: z.array(z.string().max(4096)).max(16),
    /** Keep it in the system's safe storage. */
    remember: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('allow'), allow: z.boolean() }),
]);
export type RemoteAnswer = z.infer<typeof remoteAnswer>;
