import type { Keeping } from '../../shared/remote/questions.ts';
import type { KeptSecret, SecretStore } from '../../shared/remote/secret-store.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { readSecrets, type SealedSecret, writeSecrets } from './secrets-file.ts';

const NO_STORE =
  'Only the desktop app has safe storage: here a password stays in memory until Stalltrace ends.';

/** Passwords and passphrases that the user asked to keep, sealed by the system: `remote/secrets.json`. */
export class KeptSecrets {
  readonly #path: string;
  readonly #store: SecretStore | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** Why the last one could not be written. */
  #unwritable: string | undefined;

  constructor(path: string, store: SecretStore | undefined) {
    this.#path = path;
    this.#store = store;
  }

  async keeping(): Promise<Keeping> {
    if (this.#store === undefined) return { possible: false, why: NO_STORE };
    const why = (await this.#store.unavailable()) ?? this.#unwritable;
    return why === undefined ? { possible: true } : { possible: false, why };
  }

  async list(): Promise<readonly KeptSecret[]> {
    const all = await readSecrets(this.#path);
    return all.map(({ kind, account }) => ({ kind, account }));
  }

  /** The secret, where it is kept and the system opens it for this user. */
  async open(wanted: KeptSecret): Promise<string | undefined> {
    if (this.#store === undefined || (await this.#store.unavailable()) !== undefined)
      return undefined;
    const found = (await readSecrets(this.#path)).find((each) => isSame(each, wanted));
    if (found === undefined) return undefined;
    const opened = await this.#store.open(found.sealed);
    if (!opened.ok) return undefined;
    const text = unpack(opened.value.text, wanted);
    if (text !== undefined && opened.value.again) await this.#seal(wanted, text, found.usedFor);
    return text;
  }

  /** Call once it has proved right: `address` was signed in to with it. */
  async keep(secret: KeptSecret, text: string, address: string): Promise<void> {
    const known = (await readSecrets(this.#path)).find((each) => isSame(each, secret));
    await this.#seal(secret, text, withAddress(known?.usedFor ?? [], address));
  }

  /** A kept secret has signed in to `address`. */
  async noteUse(secret: KeptSecret, address: string): Promise<void> {
    await this.#change((all) =>
      all.map((each) =>
        isSame(each, secret) ? { ...each, usedFor: withAddress(each.usedFor, address) } : each,
      ),
    );
  }

  async drop(secret: KeptSecret): Promise<void> {
    await this.#change((all) => all.filter((each) => !isSame(each, secret)));
  }

  /** Forgets the password of `address`, and what else was used for no other host. */
  async forgetHost(address: string): Promise<Result<null, 'state-unwritable'>> {
    return this.#change((all) =>
      all
        .filter(({ kind, account }) => kind !== 'password' || account !== address)
        .map((each) => ({ ...each, usedFor: each.usedFor.filter((host) => host !== address) }))
        .filter(({ usedFor }) => usedFor.length > 0),
    );
  }

  forgetAll(): Promise<Result<null, 'state-unwritable'>> {
    return this.#change(() => []);
  }

  async #seal(secret: KeptSecret, text: string, usedFor: readonly string[]): Promise<void> {
    const { kind, account } = secret;
    const sealed = await this.#store?.seal(pack(secret, text));
    if (!sealed?.ok) return;
    const entry = { kind, account, sealed: sealed.value, usedFor: [...usedFor] };
    await this.#change((all) => [...all.filter((each) => !isSame(each, secret)), entry]);
  }

  /** One change after the other, each on what the file says then. */
  #change(
    change: (all: readonly SealedSecret[]) => readonly SealedSecret[],
  ): Promise<Result<null, 'state-unwritable'>> {
    const changed = this.#turn.then(() => this.#rewrite(change));
    this.#turn = changed;
    return changed;
  }

  async #rewrite(
    change: (all: readonly SealedSecret[]) => readonly SealedSecret[],
  ): Promise<Result<null, 'state-unwritable'>> {
    const before = await readSecrets(this.#path);
    const after = change(before);
    if (JSON.stringify(after) === JSON.stringify(before) && after.length > 0) return ok(null);
    try {
      await writeSecrets(this.#path, after);
      this.#unwritable = undefined;
      return ok(null);
    } catch (thrown) {
      const message = `${this.#path} cannot be written: check the permissions of its folder and the space on its disk.`;
      this.#unwritable = message;
      return fail('state-unwritable', message, describeThrown(thrown));
    }
  }
}

function isSame(a: KeptSecret, b: KeptSecret): boolean {
  return a.kind === b.kind && a.account === b.account;
}

function withAddress(known: readonly string[], address: string): string[] {
  return [...known.filter((host) => host !== address), address];
}

/** Sealed with what it is for: moved to another entry of the file, it opens nothing. */
function pack({ kind, account }: KeptSecret, text: string): string {
  return JSON.stringify([kind, account, text]);
}

function unpack(packed: string, { kind, account }: KeptSecret): string | undefined {
  try {
    const [ofKind, ofAccount, text] = JSON.parse(packed) as unknown[];
    return ofKind === kind && ofAccount === account && typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
