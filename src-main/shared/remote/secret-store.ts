import type { Result } from '../rpc/result.ts';

/** The system's safe storage, supplied by the host; the browser host has none. */
export interface SecretStore {
  /** Why nothing can be kept here; undefined where it can. */
  unavailable(): Promise<string | undefined>;
  /** `text` sealed for this user of this machine, base64. */
  seal(text: string): Promise<Result<string, 'secrets-unavailable'>>;
  /** `again` where the system wants it sealed anew. */
  open(
    sealed: string,
  ): Promise<Result<{ readonly text: string; readonly again: boolean }, 'secrets-unavailable'>>;
}

/** What is kept, without the secret: the password of `user@host:port`, the passphrase of a key's path. */
export interface KeptSecret {
  readonly kind: 'password' | 'passphrase';
  readonly account: string;
}
