import ssh2, { type IdentityCallback, type SignCallback, type SigningRequestOptions } from 'ssh2';
import type { SigningKey } from './signing-key.ts';

/**
 * An agent with one key, so that every key is an attempt of its own: ssh2 goes on to an agent's next
 * key even where the server took the first and asks for a second factor, and a key from a file it
 * wants decrypted before it knows whether the server would take it.
 */
export class OneKeyAgent extends ssh2.BaseAgent<Buffer> {
  readonly #key: SigningKey;
  readonly #proceed: (step: () => void) => void;

  /** `proceed` goes on with ssh2, unless the connection ended while the key was decrypted. */
  constructor(key: SigningKey, proceed: (step: () => void) => void) {
    super();
    this.#key = key;
    this.#proceed = proceed;
  }

  override getIdentities(callback: IdentityCallback<Buffer>): void {
    callback(undefined, [this.#key.blob]);
  }

  override sign(
    _publicKey: Buffer,
    data: Buffer,
    options: SigningRequestOptions | SignCallback,
    callback?: SignCallback,
  ): void {
    const done = typeof options === 'function' ? options : callback;
    const hash = typeof options === 'function' ? undefined : options.hash;
    void this.#key
      .sign(data, hash === 'sha256' || hash === 'sha512' ? hash : undefined)
      .then((signature) => {
        const error = signature === undefined ? new Error('The key did not sign.') : undefined;
        this.#proceed(() => done?.(error, signature));
      });
  }
}
