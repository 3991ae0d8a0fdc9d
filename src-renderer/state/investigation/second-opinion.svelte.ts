import type { TraceMlFile } from '../../../src-main/shared/answers/traceml-summary.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { InvestigationState } from './investigation.svelte.ts';

/** TraceML's summary beside the trace on the screen: until it is closed, or the trace is. */
export class SecondOpinionState {
  readonly #investigation: InvestigationState;
  #shown = $state.raw<{ readonly traceId: string; readonly file: TraceMlFile } | undefined>();

  constructor(investigation: InvestigationState) {
    this.#investigation = investigation;
  }

  get file(): TraceMlFile | undefined {
    const traceId = this.#investigation.opened?.traceId;
    return this.#shown?.traceId === traceId ? this.#shown?.file : undefined;
  }

  /** Why it can't be shown, where there is nothing that it could be beside. */
  show(file: TraceMlFile): Failure | undefined {
    const traceId = this.#investigation.opened?.traceId;
    if (traceId === undefined)
      return {
        code: 'not-open',
        message: `“${file.fileName}” is a summary by TraceML, which holds averages and no events: open a trace of the same run first, then this file.`,
      };
    this.#shown = { traceId, file };
    this.#investigation.showTab('overview');
    return undefined;
  }

  close(): void {
    this.#shown = undefined;
  }
}
