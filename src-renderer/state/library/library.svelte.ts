import type { Api, Download } from '../../../src-main/contract/api.ts';
import type { CallArguments } from '../../../src-main/contract/contract.ts';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { LibraryHealth } from '../../../src-main/shared/library/library-health.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { formatLocalMinute } from '../../../src-main/shared/text/dates.ts';
import type { Toasts } from '../common/toasts.svelte.ts';

/** A key press is followed by others: the host is asked when they pause. */
const SEARCH_DELAY_MS = 120;

type Changes = Omit<CallArguments<'library.change'>, 'id'>;

/**
 * The investigations of the library. Follows `library.changed`; an earlier list stays when a reload
 * fails, and when an answer is overtaken by a later question.
 */
export class Library {
  readonly #api: Api;
  readonly #toasts: Toasts;
  #all = $state.raw<readonly Investigation[] | undefined>();
  #found = $state.raw<readonly Investigation[] | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #health = $state.raw<LibraryHealth | undefined>();
  #search = $state('');
  #searching = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
    api.on('library.changed', () => void this.load());
    api.on('library.trashFailed', ({ message }) => toasts.error(message));
  }

  /** All entries, last used first; `undefined` until the first list arrived. */
  get entries(): readonly Investigation[] | undefined {
    return this.#all;
  }

  /** Those the search found, or all. */
  get found(): readonly Investigation[] | undefined {
    return this.#search === '' ? this.#all : (this.#found ?? this.#all);
  }

  /** Why there is no list, unless `health` says so. */
  get failure(): Failure | undefined {
    const isTold = this.#failure?.message === this.#health?.message;
    return isTold ? undefined : this.#failure;
  }

  /** Whether the library can be trusted and written; `undefined` until the host has said so. */
  get health(): LibraryHealth | undefined {
    return this.#health;
  }

  get search(): string {
    return this.#search;
  }

  /** Whether the list on the screen is still that of an earlier search. */
  get searching(): boolean {
    return this.#searching;
  }

  find(id: number): Investigation | undefined {
    return this.#all?.find((entry) => entry.id === id);
  }

  setSearch(text: string): void {
    this.#search = text.trim() === '' ? '' : text;
    clearTimeout(this.#timer);
    this.#asked++;
    this.#searching = this.#search !== '';
    if (this.#search === '') this.#found = undefined;
    else this.#timer = setTimeout(() => void this.#runSearch(), SEARCH_DELAY_MS);
  }

  async load(): Promise<void> {
    const [listed, health] = await Promise.all([
      this.#api.call('library.list', {}),
      this.#api.call('library.health', {}),
      this.#search === '' ? undefined : this.#runSearch(),
    ]);
    if (listed.ok) this.#all = listed.value;
    this.#failure = listed.ok ? undefined : listed.error;
    // An older answer says nothing of a library that could not be asked now.
    this.#health = health.ok ? health.value : undefined;
  }

  /** Puts a backup in the place of the library; whether that went well. */
  async restoreBackup(name: string): Promise<boolean> {
    const restored = await this.#api.call('library.restoreBackup', { name });
    if (this.#told(restored) && restored.ok) {
      const { backup, keptAs } = restored.value;
      const kept = keptAs === undefined ? '' : ` What was there is kept as ${keptAs}.`;
      const when = formatLocalMinute(backup.madeAt);
      this.#toasts.show(`The library was restored to its state of ${when}.${kept}`);
    }
    await this.load();
    return restored.ok;
  }

  async #runSearch(): Promise<void> {
    const asked = ++this.#asked;
    const answer = await this.#api.call('library.list', { search: this.#search.slice(0, 500) });
    if (asked !== this.#asked) return;
    this.#searching = false;
    if (answer.ok) this.#found = answer.value;
    else this.#failure = answer.error;
  }

  /** Changes name, tags or verdict; a failure is told and the entry stays as it was. */
  async change(entry: Investigation, changes: Changes): Promise<boolean> {
    return this.#told(await this.#api.call('library.change', { id: entry.id, ...changes }));
  }

  /** Adds and takes tags of several entries. */
  async retag(
    entries: readonly Investigation[],
    added: readonly string[],
    removed: readonly string[],
  ): Promise<void> {
    for (const entry of entries) {
      const tags = [...new Set([...entry.tags.filter((tag) => !removed.includes(tag)), ...added])];
      if (!(await this.change(entry, { tags }))) return;
    }
  }

  /** Takes entries off the list, with an offer to put them back. */
  async remove(entries: readonly Investigation[], trashFile: boolean): Promise<void> {
    const removed: Investigation[] = [];
    for (const entry of entries) {
      const answer = await this.#api.call('library.remove', { id: entry.id, trashFile });
      if (!this.#told(answer)) break;
      removed.push(entry);
    }
    const [only] = removed;
    if (only === undefined) return;
    const what = removed.length === 1 ? `“${only.name}” is` : `${removed.length} entries are`;
    await this.load();
    this.#toasts.show(`${what} off the list.`, {
      label: 'Undo',
      run: () => void this.#restore(removed),
    });
  }

  /** Says where a moved file is now; another file needs `acceptDifferent`. */
  async locate(
    entry: Investigation,
    path: string,
    acceptDifferent: boolean,
  ): Promise<Result<Investigation>> {
    const { id } = entry;
    const located = await this.#api.call('library.locate', { id, path, acceptDifferent });
    if (located.ok) await this.load();
    return located;
  }

  /** Asks for the path of a moved file with the system's dialog. */
  async choosePath(): Promise<string | null> {
    const chosen = await this.#api.call('library.choosePath', {});
    return this.#told(chosen) && chosen.ok ? chosen.value : null;
  }

  async saveArchive(entry: Investigation): Promise<void> {
    const saved = await this.#api.call('archive.save', { id: entry.id });
    if (this.#told(saved) && saved.ok && saved.value !== null)
      this.#toasts.show(`Saved as ${saved.value.path}.`);
  }

  /** What a browser downloads as one .stalltrace file; `undefined` once it was told why not. */
  async downloadArchive({ id, name }: Investigation): Promise<Download | undefined> {
    const download = await this.#api.downloadArchive(id);
    if (download.ok) return download.value;
    this.#toasts.error(`“${name}”: ${download.error.message}`);
    return undefined;
  }

  async #restore(entries: readonly Investigation[]): Promise<void> {
    for (const { id } of entries) {
      const restored = await this.#api.call('library.restore', { id });
      if (!this.#told(restored)) break;
      if (restored.ok && restored.value.state === 'missing')
        this.#toasts.show(
          `“${restored.value.name}” is back on the list; its file is still in the system's trash: restore it from there.`,
        );
    }
    await this.load();
  }

  #told(answer: Result<unknown>): boolean {
    if (!answer.ok) this.#toasts.error(answer.error.message);
    return answer.ok;
  }
}
