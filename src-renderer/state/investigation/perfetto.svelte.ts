import type { Api, Download } from '../../../src-main/contract/api.ts';
import { type Failure, fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import { fileNameFor } from '../../../src-main/shared/text/file-name.ts';
import { Task } from '../common/task.svelte.ts';
import type { InvestigationState } from './investigation.svelte.ts';

/** Where the desktop has written it, or what a browser is to download. */
type Saved = { readonly path: string } | { readonly download: Download };

/** The timeline of the trace on the screen as a file for Perfetto, and how far it is written. */
export class PerfettoState {
  readonly #api: Api;
  readonly #investigation: InvestigationState;
  #task = $state.raw<Task | undefined>();
  #failure = $state.raw<Failure | undefined>();

  constructor(api: Api, investigation: InvestigationState) {
    this.#api = api;
    this.#investigation = investigation;
  }

  /** What is being saved. */
  get task(): Task | undefined {
    return this.#task;
  }

  /** Why nothing was saved the last time. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Undefined where it failed, was cancelled, or no place was chosen. `asksWhere`: the host has a dialog of the system. */
  async save(hidePrivate: boolean, asksWhere: boolean): Promise<Saved | undefined> {
    this.forget();
    const task = new Task('Saving the timeline');
    this.#task = task;
    const saved = await this.#save(hidePrivate, asksWhere, task);
    if (this.#task !== task) return undefined;
    task.end();
    this.#task = undefined;
    if (saved.ok) return saved.value;
    this.#failure = saved.error;
    return undefined;
  }

  /** Ends what is being saved, and what was said of it. */
  forget(): void {
    this.#task?.cancel();
    this.#task = undefined;
    this.#failure = undefined;
  }

  async #save(
    hidePrivate: boolean,
    asksWhere: boolean,
    { options }: Task,
  ): Promise<Result<Saved | undefined>> {
    const { opened } = this.#investigation;
    if (opened === undefined) return fail('not-open', 'No trace is open: open one first.');
    const { traceId, investigation } = opened;
    const name = fileNameFor(investigation.name, 'timeline.pftrace', hidePrivate);
    const wanted = { traceId, hidePrivate, name };
    if (!asksWhere) {
      const download = await this.#api.downloadPerfetto(wanted);
      return download.ok ? ok({ download: download.value }) : download;
    }
    const written = await this.#api.call('perfetto.save', wanted, options);
    if (!written.ok) return written;
    return ok(written.value === null ? undefined : { path: written.value.path });
  }
}
