import type { Api } from '../../../src-main/contract/api.ts';
import type { CallExplanation } from '../../../src-main/shared/answers/explanation.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

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
    if (!result.ok) return;
    this.#value = result.value;
    if (result.value.fixes.length === 0) await this.#addFixes(traceId, call, signal);
  }

  /** Fixes need the whole trace judged, which takes longer than the call: they come after it. */
  async #addFixes(traceId: string, call: number, signal: AbortSignal): Promise<void> {
    const args = { traceId, call, fixes: true };
    const result = await this.#api.call('trace.explain', args, { signal });
    if (signal.aborted || !result.ok || this.#value?.call.row !== call) return;
    // What is on the screen stays, and with it where somebody is in it.
    if (result.value.fixes.length > 0) this.#value = { ...this.#value, fixes: result.value.fixes };
  }

  clear(): void {
    this.#controller?.abort();
    this.#busy = false;
    this.#value = undefined;
    this.#failure = undefined;
  }
}
