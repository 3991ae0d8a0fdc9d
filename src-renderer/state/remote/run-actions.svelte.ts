import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import type { Api } from '../../../src-main/contract/api.ts';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { CleanUpReport, Run } from '../../../src-main/shared/remote/run.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { shortWords } from '../../lib/run-words.ts';
import type { Toasts } from '../common/toasts.svelte.ts';
import { cleanUpText } from './clean-up-text.ts';
import type { Runs } from './runs.svelte.ts';

/** What is being done with a capture now. */
type RunTask = 'stopping' | 'bringing' | 'abandoning' | 'forgetting';

interface Ends {
  /** A trace is in the library. */
  readonly onBrought: (run: Run, investigation: Investigation) => void;
  /** A capture was abandoned or forgotten: nothing will come of it. */
  readonly onGone: (run: Run) => void;
}

/** What can be done with captures: each one thing at a time. */
export class RunActions {
  readonly #api: Api;
  readonly #runs: Runs;
  readonly #toasts: Toasts;
  readonly #tasks = new SvelteMap<string, RunTask>();
  readonly #failures = new SvelteMap<string, Failure>();
  readonly #cancels = new Map<string, AbortController>();
  /** Stopped to be brought back, and not ended yet. */
  readonly #wanted = new SvelteSet<string>();
  readonly #ends: Ends;

  constructor(api: Api, runs: Runs, toasts: Toasts, ends: Ends) {
    this.#api = api;
    this.#runs = runs;
    this.#toasts = toasts;
    this.#ends = ends;
    runs.watch((run) => {
      if (run.phase !== 'recorded' || !this.#wanted.delete(run.id)) return;
      void this.bringBack(run);
    });
  }

  taskOf({ id }: Run): RunTask | undefined {
    return this.#tasks.get(id);
  }

  /** Why the last thing that was asked of it was not done. */
  failureOf({ id }: Run): Failure | undefined {
    return this.#failures.get(id);
  }

  /** Ends the capture, never its job, and brings the trace back once it is complete. */
  async stop(run: Run): Promise<void> {
    const stopped = await this.#during(run, 'stopping', () =>
      this.#api.call('remote.stop', { run: run.id }),
    );
    if (!stopped?.ok) return;
    this.#runs.take(stopped.value);
    if (stopped.value.phase === 'recorded') await this.bringBack(stopped.value);
    else if (stopped.value.phase === 'stopping') this.#wanted.add(run.id);
  }

  async bringBack(run: Run): Promise<void> {
    if (this.#tasks.has(run.id)) return;
    const abort = new AbortController();
    this.#cancels.set(run.id, abort);
    const { signal } = abort;
    const brought = await this.#during(run, 'bringing', () =>
      this.#api.call('remote.bringBack', { run: run.id }, { signal }),
    );
    if (brought === undefined) return;
    this.#cancels.delete(run.id);
    if (!brought.ok) return;
    const { investigation, cleanUp } = brought.value;
    if (cleanUp === undefined)
      this.#toasts.show(
        `The trace is in the library. ${shortWords(run.host)} could not be cleaned up now: connect to it again to do so.`,
      );
    else this.#tellCleanUp(run, cleanUp);
    this.#ends.onBrought(run, investigation);
  }

  /** Stops bringing it back; what is here stays and is gone on from. */
  cancelBringing({ id }: Run): void {
    this.#cancels.get(id)?.abort();
  }

  /** Ends the capture, never its job, and deletes it on the host. */
  async abandon(run: Run): Promise<void> {
    this.#wanted.delete(run.id);
    const abandoned = await this.#during(run, 'abandoning', () =>
      this.#api.call('remote.abandon', { run: run.id }),
    );
    if (!abandoned?.ok) return;
    this.#tellCleanUp(run, abandoned.value);
    this.#ends.onGone(run);
  }

  /** Takes it off the list; nothing is deleted anywhere. */
  async forget(run: Run): Promise<void> {
    const forgotten = await this.#during(run, 'forgetting', () =>
      this.#api.call('remote.forgetRun', { run: run.id }),
    );
    if (!forgotten?.ok) return;
    this.#ends.onGone(run);
    await this.#runs.load();
  }

  /** Removes what of ours is left on a host that is signed in to. */
  async cleanUp(connection: string, host: string): Promise<void> {
    const cleaned = await this.#api.call('remote.cleanUp', { connection });
    if (cleaned.ok) this.#toasts.show(cleanUpText(cleaned.value, host));
    else this.#toasts.error(cleaned.error.message);
    await this.#runs.load();
  }

  #tellCleanUp(run: Run, report: CleanUpReport): void {
    this.#toasts.show(cleanUpText(report, run.host));
  }

  /** `undefined` where something else is being done with it. */
  async #during<T, C extends string>(
    { id }: Run,
    task: RunTask,
    act: () => Promise<Result<T, C>>,
  ): Promise<Result<T, C> | undefined> {
    if (this.#tasks.has(id)) return undefined;
    this.#tasks.set(id, task);
    this.#failures.delete(id);
    const done = await act();
    this.#tasks.delete(id);
    if (!done.ok && done.error.code !== 'cancelled') this.#failures.set(id, done.error);
    return done;
  }
}
