import type { Api } from '../../../src-main/contract/api.ts';
import type { ReportRequest } from '../../../src-main/shared/answers/report.ts';
import { type Failure, fail, type Result } from '../../../src-main/shared/rpc/result.ts';
import { fileNameFor } from '../../../src-main/shared/text/file-name.ts';
import type { InvestigationState } from './investigation.svelte.ts';

/** What the user chose to go into a report. */
export interface ReportOptions {
  /** The call of the "Why slow" panel, or the slowest copy (else call) of the trace. */
  readonly about: 'selected' | 'slowest';
  readonly range: boolean;
  /** Every table, finding and question, not the answer alone. */
  readonly long: boolean;
  readonly notes: boolean;
  readonly hidePrivate: boolean;
}

/** The report of the trace on the screen. The last text stays until the next one is written. */
export class ReportState {
  readonly #api: Api;
  readonly #investigation: InvestigationState;
  #text = $state.raw<string | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #busy = $state(false);
  #controller: AbortController | undefined;

  constructor(api: Api, investigation: InvestigationState) {
    this.#api = api;
    this.#investigation = investigation;
  }

  get text(): string | undefined {
    return this.#text;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Whether the text is not yet what the options say. */
  get busy(): boolean {
    return this.#busy;
  }

  /** The row of cuda_call that the "Why slow" panel shows. */
  get selectedCall(): number | undefined {
    const { selection, explanation } = this.#investigation;
    return selection.event?.table === 'cuda_call'
      ? selection.event.row
      : explanation.value?.call.row;
  }

  fileName(hidePrivate: boolean): string {
    const { opened } = this.#investigation;
    return fileNameFor(opened?.investigation.name ?? '', 'report.md', hidePrivate);
  }

  /** Writes it anew; a report still under way is cancelled. */
  async write(options: ReportOptions): Promise<void> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#busy = true;
    const { file } = this.#investigation.secondOpinion;
    const beside = file && { traceml: file.summary };
    const result = await this.#ask({ ...options, ...beside }, controller.signal);
    if (controller.signal.aborted) return;
    this.#busy = false;
    this.#failure = result.ok ? undefined : result.error;
    this.#text = result.ok ? result.value : undefined;
  }

  /** The finding alone, for the clipboard: nothing in it says whose machine it was. */
  finding(): Promise<Result<string>> {
    return this.#ask({
      about: 'selected',
      range: false,
      long: false,
      notes: false,
      hidePrivate: true,
    });
  }

  /** What was written holds what may be private: it goes with the dialog. */
  forget(): void {
    this.#controller?.abort();
    this.#busy = false;
    this.#text = undefined;
    this.#failure = undefined;
  }

  async #ask(
    options: ReportOptions & Pick<ReportRequest, 'traceml'>,
    signal?: AbortSignal,
  ): Promise<Result<string>> {
    const { opened, selection } = this.#investigation;
    if (opened === undefined) return fail('not-open', 'No trace is open: open one first.');
    const call = options.about === 'selected' ? this.selectedCall : undefined;
    const range = options.range ? selection.range : undefined;
    const request: ReportRequest = {
      traceId: opened.traceId,
      investigation: opened.investigation.id,
      ...(call !== undefined && { call }),
      ...(range !== undefined && { range: { startNs: range.startNs, endNs: range.endNs } }),
      hidePrivate: options.hidePrivate,
      ...(options.long && { long: true }),
      notes: options.notes,
      ...(options.traceml !== undefined && { traceml: options.traceml }),
    };
    const result = await this.#api.call('report.markdown', request, { signal });
    return result.ok ? { ok: true, value: result.value.text } : result;
  }
}
