import type { HostKey, RecordedHostKey } from '../../shared/remote/questions.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';

/** What the known_hosts files say of a key that a host showed. */
export type HostKeyVerdict =
  | { readonly kind: 'known' }
  | {
      readonly kind: 'unknown';
      readonly key: HostKey;
      /** Other names under which the same key is known. */
      readonly alsoKnownAs: readonly string[];
    }
  | {
      readonly kind: 'changed';
      readonly key: HostKey;
      readonly known: readonly RecordedHostKey[];
      /** Whether it may be written, to the app's own file, that the key takes their place: own-known-hosts.ts. */
      readonly replaceable: boolean;
    }
  /** `@revoked`: never to be trusted, whatever else is written. */
  | { readonly kind: 'revoked'; readonly key: HostKey; readonly record: RecordedHostKey }
  /** Only `@cert-authority` lines name the host: certificates are what the system's `ssh` checks. */
  | { readonly kind: 'ca'; readonly key: HostKey; readonly record: RecordedHostKey };

/** The user's known_hosts and the app's own. */
export interface HostTrust {
  /** Key types that are known for `host` (`ssh-ed25519`, `ssh-rsa`, …), best first; empty: none. */
  keyTypes(host: ResolvedHost): Promise<readonly string[]>;
  /** Judges a public key in SSH's wire format (RFC 4253 §6.6), as the host sent it. */
  judge(host: ResolvedHost, keyBlob: Buffer): Promise<HostKeyVerdict>;
  /** Writes the key into the app's own known_hosts; with `replace` in the place of all that are known. */
  remember(
    host: ResolvedHost,
    keyBlob: Buffer,
    options: { readonly replace: boolean },
  ): Promise<Result<null, 'state-unwritable'>>;
}
