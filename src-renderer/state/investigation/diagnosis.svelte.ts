import type { Api } from '../../../src-main/contract/api.ts';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

/** "Why slow" of the whole trace: asked for once, when it is first looked at. */
export class DiagnosisState {
  readonly #api: Api;
  #value = $state.raw<Diagnosis | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #busy = $state(false);
  #controller: AbortController | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  get value(): Diagnosis | undefined {
    return this.#value;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Nothing of it is on the screen yet, and nothing says that it can't be. */
  get isAwaited(): boolean {
    return this.#value === undefined && this.#failure === undefined;
  }

  /** Asks once `first` has settled. */
  async load(traceId: string, first?: Promise<void>): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#busy = true;
    this.#failure = undefined;
    const { signal } = controller;
    await first;
    if (signal.aborted) return;
    const result = await this.#api.call('trace.diagnose', { traceId }, { signal });
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
