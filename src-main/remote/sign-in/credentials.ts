import type { ResolvedHost } from '../config/resolved-host.ts';
import { fingerprintOf } from '../trust/host-key.ts';

/**
 * What a person gave for one connection, so that a lost link can be made anew without asking again:
 * in memory only, gone with `clear`. Answers to prompts (one-time codes) are never kept.
 */
export class Credentials {
  readonly #passwords = new Map<string, string>();
  readonly #passphrases = new Map<string, string>();
  readonly #trustedOnce = new Set<string>();

  password(host: ResolvedHost): string | undefined {
    return this.#passwords.get(accountOf(host));
  }

  /** `undefined` forgets it: the host does not take it any more. */
  keepPassword(host: ResolvedHost, password: string | undefined): void {
    if (password === undefined) this.#passwords.delete(accountOf(host));
    else this.#passwords.set(accountOf(host), password);
  }

  passphrase(keyFile: string): string | undefined {
    return this.#passphrases.get(keyFile);
  }

  keepPassphrase(keyFile: string, passphrase: string | undefined): void {
    if (passphrase === undefined) this.#passphrases.delete(keyFile);
    else this.#passphrases.set(keyFile, passphrase);
  }

  /** Whether a person trusted this key of this host for as long as this connection is wanted. */
  trustsOnce(host: ResolvedHost, keyBlob: Buffer): boolean {
    return this.trustsFingerprint(host, fingerprintOf(keyBlob));
  }

  /** Likewise by `SHA256:…`, which is all that the system's ssh tells before it goes on. */
  trustsFingerprint(host: ResolvedHost, fingerprint: string): boolean {
    return this.#trustedOnce.has(hostAndKey(host, fingerprint));
  }

  trustOnce(host: ResolvedHost, keyBlob: Buffer): void {
    this.#trustedOnce.add(hostAndKey(host, fingerprintOf(keyBlob)));
  }

  /** Whether anything that `host` could ask for is in memory. */
  hasAnswers(host: ResolvedHost): boolean {
    return (
      this.#trustedOnce.size > 0 ||
      this.#passwords.has(accountOf(host)) ||
      host.identityFiles.some((file) => this.#passphrases.has(file))
    );
  }

  clear(): void {
    this.#passwords.clear();
    this.#passphrases.clear();
    this.#trustedOnce.clear();
  }
}

function accountOf(host: ResolvedHost): string {
  return `${host.user}@${host.hostName}:${host.port}`;
}

function hostAndKey(host: ResolvedHost, fingerprint: string): string {
  return `${host.keyName.toLowerCase()} ${fingerprint}`;
}
