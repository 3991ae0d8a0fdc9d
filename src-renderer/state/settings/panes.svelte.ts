import type { SettingsState } from './settings.svelte.ts';

/** A pane that is dragged changes many times a second; it is kept once it rests. */
const SETTLE_MS = 400;

/** Sizes of panes by name, CSS px, as the user left them. What is shown is the caller's to limit. */
export class Panes {
  readonly #settings: SettingsState;
  /** Sizes that are not kept yet; `null` = back to the usual one. */
  #moving = $state.raw<Readonly<Record<string, number | null>>>({});
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: SettingsState) {
    this.#settings = settings;
  }

  /** `usual`: the size where the user did not choose one. */
  sizeOf(name: string, usual: number): number {
    const size = name in this.#moving ? this.#moving[name] : this.#settings.value.panes[name];
    return size ?? usual;
  }

  resize(name: string, sizePx: number): void {
    this.#move({ ...this.#moving, [name]: Math.round(sizePx) });
  }

  reset(name: string): void {
    this.#move({ ...this.#moving, [name]: null });
  }

  /** Keeps what moved now: the page goes away. */
  flush(): void {
    clearTimeout(this.#timer);
    if (Object.keys(this.#moving).length === 0) return;
    const panes = this.#moving;
    this.#moving = {};
    void this.#settings.change({ panes });
  }

  #move(moving: Readonly<Record<string, number | null>>): void {
    this.#moving = moving;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), SETTLE_MS);
  }
}
