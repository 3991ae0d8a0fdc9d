import type { Api } from '../../../src-main/contract/api.ts';
import type { Preflight } from '../../../src-main/shared/remote/preflight.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

/** What a host allows, and how that is being found out. */
export class PreflightCheck {
  readonly #api: Api;
  #value = $state.raw<Preflight | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #steps = $state.raw<readonly string[]>([]);
  #abort: AbortController | undefined;
  #busy = $state(false);

  constructor(api: Api) {
    this.#api = api;
  }

  /** The last one that went through; it stays while it is done again. */
  get value(): Preflight | undefined {
    return this.#value;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** What was done so far, the last one is under way. */
  get steps(): readonly string[] {
    return this.#steps;
  }

  get busy(): boolean {
    return this.#busy;
  }

  async run(connection: string): Promise<void> {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    this.#busy = true;
    this.#steps = [];
    this.#failure = undefined;
    const { signal } = abort;
    const done = await this.#api.call(
      'remote.preflight',
      { connection },
      { signal, onProgress: ({ text }) => this.#abort === abort && this.#step(text) },
    );
    if (this.#abort !== abort) return;
    this.#busy = false;
    if (done.ok) this.#value = done.value;
    else if (done.error.code !== 'cancelled') this.#failure = done.error;
  }

  cancel(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#busy = false;
  }

  /** For another host. */
  clear(): void {
    this.cancel();
    this.#value = this.#failure = undefined;
    this.#steps = [];
  }

  #step(text: string): void {
    if (text !== '' && text !== this.#steps.at(-1)) this.#steps = [...this.#steps, text];
  }
}
