import type { Api } from '../../src-main/shared/api.ts';
import type { Investigation } from '../../src-main/shared/investigation.ts';
import type { Failure, Result } from '../../src-main/shared/result.ts';
import { ok } from '../../src-main/shared/result.ts';
import type { CallOptions } from '../../src-main/shared/rpc.ts';
import type { InvestigationState } from './investigation.svelte.ts';
import { Task } from './task.svelte.ts';

type Find = (options: CallOptions) => Promise<Result<Investigation | null>>;

/** Opens a trace from wherever it comes, one at a time: what is on the screen stays until it is read. */
export class Opener {
  readonly #api: Api;
  readonly #investigation: InvestigationState;
  #task = $state.raw<Task | undefined>();
  #failure = $state.raw<Failure | undefined>();

  constructor(api: Api, investigation: InvestigationState) {
    this.#api = api;
    this.#investigation = investigation;
  }

  get task(): Task | undefined {
    return this.#task;
  }

  /** Why the last attempt failed, until dismissed or tried again. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  openEntry(entry: Investigation): Promise<void> {
    return this.#open(`Opening ${entry.name}`, async () => ok(entry));
  }

  openPath(path: string): Promise<void> {
    return this.#open(`Opening ${path}`, (options) =>
      this.#api.call('library.add', { path }, options),
    );
  }

  /** A dropped or chosen file. */
  openFile(file: File): Promise<void> {
    return this.#open(`Opening ${file.name}`, (options) => this.#api.addFile(file, options));
  }

  /** Asks with the system's file dialog. */
  choose(): Promise<void> {
    return this.#open('Waiting for the file dialog', (options) =>
      this.#api.call('library.choose', {}, options),
    );
  }

  /** Opens what the app was started with, or asked for from outside. */
  async openLaunchFile(): Promise<void> {
    const waiting = await this.#api.call('app.launchFile', {});
    if (waiting.ok && waiting.value !== null) await this.openPath(waiting.value);
  }

  /** Leaves at once; the host's answer, when it comes, is thrown away. */
  cancel(): void {
    this.#task?.cancel();
    this.#task = undefined;
  }

  dismissFailure(): void {
    this.#failure = undefined;
  }

  async #open(text: string, find: Find): Promise<void> {
    this.cancel();
    this.#failure = undefined;
    const task = new Task(text);
    this.#task = task;
    const found = await find(task.options);
    if (this.#task !== task) return;
    if (!found.ok || found.value === null)
      return this.#end(task, found.ok ? undefined : found.error);
    const opened = await this.#api.call('trace.open', { id: found.value.id }, task.options);
    if (this.#task !== task) {
      if (opened.ok) void this.#api.call('trace.close', { traceId: opened.value.traceId });
      return;
    }
    this.#end(task, opened.ok ? undefined : opened.error);
    if (opened.ok) void this.#investigation.show(opened.value);
  }

  #end(task: Task, failure: Failure | undefined): void {
    task.end();
    this.#task = undefined;
    this.#failure = failure?.code === 'cancelled' ? undefined : failure;
  }
}
