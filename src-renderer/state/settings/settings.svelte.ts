import type { Api } from '../../../src-main/contract/api.ts';
import {
  defaultSettings,
  type Settings,
  type SettingsChange,
  withChanges,
} from '../../../src-main/shared/library/settings.ts';
import type { Toasts } from '../common/toasts.svelte.ts';

/** What the user chose, kept by the host. Changes show at once; one that can't be kept lasts as long as the page. */
export class SettingsState {
  readonly #api: Api;
  readonly #toasts: Toasts;
  #value = $state.raw<Settings>(defaultSettings);
  #loaded = $state(false);

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
    api.on('settings.changed', (settings) => this.#adopt(settings));
  }

  get value(): Settings {
    return this.#value;
  }

  /** Whether `value` is what the user chose, not what they find at first. */
  get loaded(): boolean {
    return this.#loaded;
  }

  async load(): Promise<void> {
    const settings = await this.#api.call('settings.get', {});
    if (settings.ok) this.#adopt(settings.value);
    else if (settings.error.code === 'library-unavailable')
      this.#toasts.error(`${settings.error.message} Your settings are not used until then.`);
  }

  async change(changes: SettingsChange): Promise<void> {
    this.#value = withChanges(this.#value, changes);
    const kept = await this.#api.call('settings.change', { changes });
    if (!kept.ok) this.#toasts.error(`${kept.error.message} The setting lasts until you leave.`);
  }

  #adopt(settings: Settings): void {
    this.#value = settings;
    this.#loaded = true;
  }
}
