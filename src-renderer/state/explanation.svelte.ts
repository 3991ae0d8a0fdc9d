import type { Api } from '../../src-main/shared/api.ts';
import type { CallExplanation } from '../../src-main/shared/explanation.ts';
import type { Failure } from '../../src-main/shared/result.ts';

/** "Why slow" of one call. The last answer stays on the screen until the next one is here. */
export class Explanation {
  readonly #api: Api;
  #value = $state.raw<CallExplanation | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #busy = $state(false);
  #controller: AbortController | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  get value(): CallExplanation | undefined {
    return this.#value;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Explains row `call` of cuda_call; an older question still under way is cancelled. */
  async explain(traceId: string, call: number): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#busy = true;
    const { signal } = controller;
    const result = await this.#api.call('trace.explain', { traceId, call }, { signal });
    if (signal.aborted) return;
    this.#busy = false;
    this.#failure = result.ok ? undefined : result.error;
    if (result.ok) this.#value = result.value;
  }

  clear(): void {
    this.#controller?.abort();
    this.#busy = false;
    this.#value = undefined;
    this.#failure = undefined;
  }
}
