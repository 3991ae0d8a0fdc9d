import type { Api } from '../../src-main/shared/api.ts';
import type { Investigation } from '../../src-main/shared/investigation.ts';
import type { Failure } from '../../src-main/shared/result.ts';
import type { Toasts } from './toasts.svelte.ts';

/** The list of investigations. Follows `library.changed`; an earlier list stays when a reload fails. */
export class Library {
  readonly #api: Api;
  readonly #toasts: Toasts;
  #entries = $state.raw<readonly Investigation[] | undefined>();
  #failure = $state.raw<Failure | undefined>();

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
    api.on('library.changed', () => void this.load());
  }

  /** `undefined` until the first list arrived. */
  get entries(): readonly Investigation[] | undefined {
    return this.#entries;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  async load(): Promise<void> {
    const listed = await this.#api.call('library.list', {});
    if (listed.ok) this.#entries = listed.value;
    this.#failure = listed.ok ? undefined : listed.error;
  }

  /** Takes an entry off the list; its file stays, so adding the path again undoes it. */
  async remove(entry: Investigation): Promise<void> {
    const removed = await this.#api.call('library.remove', { id: entry.id });
    if (!removed.ok) {
      this.#toasts.show(removed.error.message);
      return;
    }
    this.#entries = this.#entries?.filter(({ id }) => id !== entry.id);
    this.#toasts.show(`“${entry.name}” is off the list. The file stays where it is.`, {
      label: 'Undo',
      run: () => void this.#restore(entry),
    });
  }

  async #restore(entry: Investigation): Promise<void> {
    const added = await this.#api.call('library.add', { path: entry.path });
    if (added.ok) await this.load();
    else this.#toasts.show(added.error.message);
  }
}
