import type { Api } from '../../src-main/shared/api.ts';
import {
  defaultSettings,
  type Settings,
  type SettingsChange,
} from '../../src-main/shared/settings.ts';
import type { Toasts } from './toasts.svelte.ts';

/** What the user chose, kept by the host; changes show at once and are taken back where they could not be kept. */
export class SettingsState {
  readonly #api: Api;
  readonly #toasts: Toasts;
  #value = $state.raw<Settings>(defaultSettings);

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
    api.on('settings.changed', (settings) => {
      this.#value = settings;
    });
  }

  get value(): Settings {
    return this.#value;
  }

  async load(): Promise<void> {
    const settings = await this.#api.call('settings.get', {});
    if (settings.ok) this.#value = settings.value;
  }

  async change(changes: SettingsChange): Promise<void> {
    this.#value = { ...this.#value, ...changes } as Settings;
    const kept = await this.#api.call('settings.change', { changes });
    if (!kept.ok) this.#toasts.show(`${kept.error.message} The setting lasts until you leave.`);
  }
}
