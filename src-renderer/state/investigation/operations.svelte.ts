import type { Api } from '../../../src-main/contract/api.ts';
import type { FirstFigures } from '../../../src-main/shared/answers/first-figures.ts';
import type { OperationStats } from '../../../src-main/shared/answers/operations.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

/** The statistics of a trace's operations, by size bucket or not. */
export class Operations {
  readonly #api: Api;
  #rows = $state.raw<readonly OperationStats[] | undefined>();
  #first = $state.raw<FirstFigures | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #bySize = $state(true);
  #traceId: string | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  get rows(): readonly OperationStats[] | undefined {
    return this.#rows;
  }

  /** Until those are here: what was known while the trace was read. */
  get first(): FirstFigures | undefined {
    return this.#rows === undefined ? this.#first : undefined;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get bySize(): boolean {
    return this.#bySize;
  }

  splitBySize(bySize: boolean): Promise<void> {
    this.#bySize = bySize;
    return this.load(this.#traceId);
  }

  /** Shows what was known while the trace was read. */
  begin(first: FirstFigures | undefined): void {
    this.#first = first;
  }

  /** Rows on the screen stay until the new ones are here. */
  async load(traceId: string | undefined): Promise<void> {
    this.#traceId = traceId;
    if (traceId === undefined) return;
    const bySize = this.#bySize;
    const result = await this.#api.call('trace.operations', { traceId, bySize });
    if (traceId !== this.#traceId || bySize !== this.#bySize) return;
    if (result.ok) this.#rows = result.value;
    this.#failure = result.ok ? undefined : result.error;
  }

  clear(): void {
    this.#traceId = undefined;
    this.#rows = undefined;
    this.#first = undefined;
    this.#failure = undefined;
  }
}
