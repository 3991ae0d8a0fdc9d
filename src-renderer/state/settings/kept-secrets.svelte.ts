import type { Api } from '../../../src-main/contract/api.ts';
import type { CallValue } from '../../../src-main/contract/contract.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

type Kept = CallValue<'remote.keptSecrets'>;

/** Passwords and passphrases in the system's safe storage: whose they are, never what they are. */
export class KeptSecrets {
  readonly #api: Api;
  #value = $state.raw<Kept | undefined>();
  #failure = $state.raw<Failure | undefined>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Undefined until they were listed. */
  get value(): Kept | undefined {
    return this.#value;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  async load(): Promise<void> {
    const listed = await this.#api.call('remote.keptSecrets', {});
    this.#failure = listed.ok ? undefined : listed.error;
    if (listed.ok) this.#value = listed.value;
  }

  async forgetAll(): Promise<void> {
    const forgotten = await this.#api.call('remote.forgetSecrets', {});
    if (forgotten.ok) await this.load();
    else this.#failure = forgotten.error;
  }
}
