import type { Api } from '../../../src-main/contract/api.ts';
import type { SavedQuery } from '../../../src-main/shared/library/saved-query.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import { tooLong } from '../../lib/sql/too-long.ts';
import type { Toasts } from '../common/toasts.svelte.ts';

/** The SQL statements that the library keeps, for any trace. */
export class SavedQueries {
  readonly #api: Api;
  readonly #toasts: Toasts;
  #all = $state.raw<readonly SavedQuery[] | undefined>();
  #failure = $state.raw<Failure | undefined>();

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
    api.on('sql.savedChanged', () => {
      if (this.#all !== undefined) void this.load();
    });
  }

  /** By name; undefined as long as they are not known. */
  get all(): readonly SavedQuery[] | undefined {
    return this.#all;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  async load(): Promise<void> {
    const saved = await this.#api.call('sql.saved', {});
    this.#failure = saved.ok ? undefined : saved.error;
    if (saved.ok) this.#all = saved.value;
  }

  /** Keeps a statement, in place of the one of that name; the failure where it is not kept. */
  async save(name: string, text: string): Promise<Failure | undefined> {
    const long = tooLong(text);
    if (long !== undefined) return long;
    const kept = await this.#api.call('sql.save', { name, text });
    if (!kept.ok) return kept.error;
    this.#toasts.show(`“${kept.value.name}” is kept.`);
    await this.load();
    return undefined;
  }

  async remove(query: SavedQuery): Promise<void> {
    const removed = await this.#api.call('sql.remove', { name: query.name });
    if (!removed.ok) {
      this.#toasts.error(removed.error.message);
      return;
    }
    this.#toasts.show(`“${query.name}” was removed.`, {
      label: 'Undo',
      run: () => void this.#putBack(query),
    });
    await this.load();
  }

  async #putBack({ name, text }: SavedQuery): Promise<void> {
    const failure = await this.save(name, text);
    if (failure !== undefined) this.#toasts.error(failure.message);
  }
}
