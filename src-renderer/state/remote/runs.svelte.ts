import type { Api } from '../../../src-main/contract/api.ts';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import { isUnfinished } from '../../lib/run-words.ts';

/** The captures this user's data folder knows, as they are now. */
export class Runs {
  readonly #api: Api;
  readonly #watchers = new Set<(run: Run) => void>();
  readonly #loadWatchers = new Set<(list: readonly Run[]) => void>();
  #list = $state.raw<readonly Run[]>([]);
  #loaded = $state(false);
  #failure = $state.raw<Failure | undefined>();
  /** Runs that changed while the list was asked for: the answer may be older. */
  #changed = new Map<string, Run>();

  /** Those that something is still to be done about, newest first. */
  readonly unfinished: readonly Run[] = $derived(this.#list.filter(isUnfinished));

  constructor(api: Api) {
    this.#api = api;
    api.on('remote.run', (run) => this.take(run));
    api.on('remote.changed', () => void this.load());
  }

  get list(): readonly Run[] {
    return this.#list;
  }

  /** Whether the list was ever here. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Why the list is not here. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  find(id: string | undefined): Run | undefined {
    return this.#list.find((run) => run.id === id);
  }

  async load(): Promise<void> {
    this.#changed = new Map();
    const changed = this.#changed;
    const listed = await this.#api.call('remote.runs', {});
    if (changed !== this.#changed) return;
    this.#failure = listed.ok ? undefined : listed.error;
    if (!listed.ok) return;
    this.#loaded = true;
    this.#list = listed.value.map((run) => changed.get(run.id) ?? run);
    for (const run of changed.values()) this.take(run);
    for (const watcher of this.#loadWatchers) watcher(this.#list);
  }

  /** A capture as it is now: of an event, or of the answer to a call. */
  take(run: Run): void {
    this.#changed.set(run.id, run);
    this.#list = this.find(run.id)
      ? this.#list.map((known) => (known.id === run.id ? run : known))
      : [run, ...this.#list];
    for (const watcher of this.#watchers) watcher(run);
  }

  /** Calls `watcher` with the whole list, each time that it was asked for. */
  whenLoaded(watcher: (list: readonly Run[]) => void): void {
    this.#loadWatchers.add(watcher);
  }

  /** Calls `watcher` with every capture that changes; returns how to stop. */
  watch(watcher: (run: Run) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}
