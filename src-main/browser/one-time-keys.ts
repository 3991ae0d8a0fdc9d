import { createHash, randomBytes } from 'node:crypto';

interface Issued {
  readonly purpose: string;
  readonly endMs: number;
}

/** Keys that are good once, for one purpose and for a short time. */
export class OneTimeKeys {
  readonly #lifetimeMs: number;
  readonly #atMost: number;
  /** By hash: how long a look-up takes says nothing of a key. Oldest first. */
  readonly #issued = new Map<string, Issued>();

  /** Of more than `atMost` the oldest are forgotten. */
  constructor(lifetimeMs: number, atMost: number) {
    this.#lifetimeMs = lifetimeMs;
    this.#atMost = atMost;
  }

  issue(purpose: string): string {
    const key = randomBytes(32).toString('base64url');
    this.#forgetOld();
    this.#issued.set(hashOf(key), { purpose, endMs: performance.now() + this.#lifetimeMs });
    return key;
  }

  /** Whether `key` is good for `purpose`. It is spent either way. */
  spend(key: string, purpose: string): boolean {
    const hash = hashOf(key);
    const issued = this.#issued.get(hash);
    this.#issued.delete(hash);
    return issued !== undefined && issued.purpose === purpose && performance.now() < issued.endMs;
  }

  #forgetOld(): void {
    for (const [hash, { endMs }] of this.#issued) {
      if (endMs > performance.now() && this.#issued.size < this.#atMost) return;
      this.#issued.delete(hash);
    }
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
