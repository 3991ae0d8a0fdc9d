import type { Api } from '../../../src-main/contract/api.ts';
import type { ProcessBreakdowns } from '../../../src-main/shared/answers/process-breakdown.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';

/** What every process of the trace did, over all of it or over a range. */
export class Processes {
  readonly #api: Api;
  #value = $state.raw<ProcessBreakdowns | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #controller: AbortController | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  get value(): ProcessBreakdowns | undefined {
    return this.#value;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** What is on the screen stays until the new figures are here. */
  async load(traceId: string, span: TimeWindow | undefined): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    const { signal } = controller;
    const asked = span === undefined ? {} : { startNs: span.startNs, endNs: span.endNs };
    const result = await this.#api.call('trace.processes', { traceId, span: asked }, { signal });
    if (signal.aborted) return;
    this.#failure = result.ok ? undefined : result.error;
    if (result.ok) this.#value = result.value;
  }

  clear(): void {
    this.#controller?.abort();
    this.#value = undefined;
    this.#failure = undefined;
  }
}
