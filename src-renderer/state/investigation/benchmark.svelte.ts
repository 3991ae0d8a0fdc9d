import type { Api } from '../../../src-main/contract/api.ts';
import type { BenchmarkFile } from '../../../src-main/shared/answers/benchmark-result.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import type { InvestigationState } from './investigation.svelte.ts';

/** The benchmark script of the trace on the screen, and the result that was opened last. */
export class BenchmarkState {
  readonly #api: Api;
  readonly #investigation: InvestigationState;
  #opened = $state.raw<BenchmarkFile | undefined>();

  constructor(api: Api, investigation: InvestigationState) {
    this.#api = api;
    this.#investigation = investigation;
  }

  /** The result that is shown, until closed. */
  get opened(): BenchmarkFile | undefined {
    return this.#opened;
  }

  /** Needs no trace. */
  show(file: BenchmarkFile): undefined {
    this.#opened = file;
  }

  close(): void {
    this.#opened = undefined;
  }

  /** The script as Python. */
  async script(): Promise<Result<string>> {
    const traceId = this.#investigation.opened?.traceId;
    if (traceId === undefined) return fail('not-open', 'No trace is open: open one first.');
    const script = await this.#api.call('report.benchmarkScript', { traceId });
    return script.ok ? ok(script.value.text) : script;
  }
}
