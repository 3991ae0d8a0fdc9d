export const themeChoices = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

const STORAGE_KEY = 'stalltrace.theme';

/** Where a copy of the choice is kept; the page's localStorage, which may throw where storage is forbidden. */
export type ThemeStorage = Pick<Storage, 'getItem' | 'setItem'>;

/**
 * The colour theme. `shown` is what `[data-theme]` must be: the choice, with the system's
 * preference resolved, so that canvases can read settled colours. The choice is a setting: the copy
 * here is for the moment before settings arrive, in which another theme would flash up.
 */
export class Theme {
  readonly #storage: ThemeStorage;
  #choice = $state<ThemeChoice>('system');
  #systemIsDark = $state(false);

  constructor(storage: ThemeStorage, system: MediaQueryList) {
    this.#storage = storage;
    this.#choice = storedChoice(storage);
    this.#systemIsDark = system.matches;
    system.addEventListener('change', ({ matches }) => {
      this.#systemIsDark = matches;
    });
  }

  get choice(): ThemeChoice {
    return this.#choice;
  }

  get shown(): 'light' | 'dark' {
    if (this.#choice !== 'system') return this.#choice;
    return this.#systemIsDark ? 'dark' : 'light';
  }

  choose(choice: ThemeChoice): void {
    if (choice === this.#choice) return;
    this.#choice = choice;
    try {
      this.#storage.setItem(STORAGE_KEY, choice);
    } catch {
      // The choice then lasts as long as the page.
    }
  }
}

function storedChoice(storage: ThemeStorage): ThemeChoice {
  try {
    const stored = storage.getItem(STORAGE_KEY);
    return themeChoices.find((choice) => choice === stored) ?? 'system';
  } catch {
    return 'system';
  }
}
