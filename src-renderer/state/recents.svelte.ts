const STORAGE_KEY = 'stalltrace.recent-commands';
const KEPT = 12;

/** The page's localStorage, which may throw where storage is forbidden. */
export type RecentStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** What was run from the palette last, the latest first; a convenience of this browser, not a setting. */
export class Recents {
  readonly #storage: RecentStorage;
  #keys = $state.raw<readonly string[]>([]);

  constructor(storage: RecentStorage) {
    this.#storage = storage;
    try {
      const stored: unknown = JSON.parse(storage.getItem(STORAGE_KEY) ?? '[]');
      if (Array.isArray(stored))
        this.#keys = stored.filter((key) => typeof key === 'string').slice(0, KEPT);
    } catch {
      // Nothing that can be read is kept there.
    }
  }

  get keys(): readonly string[] {
    return this.#keys;
  }

  use(key: string): void {
    this.#keys = [key, ...this.#keys.filter((each) => each !== key)].slice(0, KEPT);
    try {
      this.#storage.setItem(STORAGE_KEY, JSON.stringify(this.#keys));
    } catch {
      // It then lasts as long as the page.
    }
  }
}
