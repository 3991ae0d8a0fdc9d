import { cleanLines } from '../../../src-main/shared/text/text.ts';

export interface ToastAction {
  readonly label: string;
  run(): void;
}

export type ToastKind = 'info' | 'error';

export interface Toast {
  readonly id: number;
  readonly kind: ToastKind;
  readonly text: string;
  readonly at: Date;
  /** Gone once it was done. */
  readonly action?: ToastAction;
}

/** Two lines are read in it, also by who looked elsewhere at first. */
const VISIBLE_MS = 10_000;
/** What passes by itself, on the screen at once. */
const SHOWN_INFOS = 3;
const KEPT = 100;

/**
 * Short messages that pass; errors stay until they are dismissed. All can be read again. Anything
 * the user must not miss belongs on the screen instead.
 */
export class Toasts {
  #items = $state.raw<readonly Toast[]>([]);
  #kept = $state.raw<readonly Toast[]>([]);
  #unread = $state(0);
  #nextId = 0;
  /** Those of one tab. */
  readonly #ofTab = new Set<number>();

  /** On the screen now, the latest last. */
  get items(): readonly Toast[] {
    return this.#items;
  }

  /** The last hundred, the latest first. */
  get kept(): readonly Toast[] {
    return this.#kept;
  }

  /** How many came since the list was read last, but were not dismissed by hand. */
  get unread(): number {
    return this.#unread;
  }

  show(said: string, action?: ToastAction, kind: ToastKind = 'info'): void {
    const text = cleanLines(said);
    const id = this.#nextId++;
    const toast = { id, kind, text, at: new Date(), ...(action !== undefined && { action }) };
    // The same words once more: the older ones say nothing new.
    const others = this.#items.filter((shown) => shown.text !== text || shown.kind !== kind);
    const infos = [...others, toast].filter((shown) => shown.kind === 'info').slice(-SHOWN_INFOS);
    this.#items = [...others, toast].filter(
      (shown) => shown.kind === 'error' || infos.includes(shown),
    );
    this.#keep(toast, false);
    if (kind === 'info') setTimeout(() => this.#hide(id), VISIBLE_MS);
  }

  /** What went wrong, with the next step. */
  error(text: string, action?: ToastAction): void {
    this.show(text, action, 'error');
  }

  /** What a screen says by itself, as long as it stands there: to be read again afterwards. */
  keep(said: string, kind: ToastKind, isSeen: boolean): void {
    this.#keep({ id: this.#nextId++, kind, text: cleanLines(said), at: new Date() }, isSeen);
  }

  /** What says something of the tab that is shown, and is in the way on another. */
  showHere(text: string): void {
    this.show(text);
    const shown = this.#items.at(-1);
    if (shown !== undefined) this.#ofTab.add(shown.id);
  }

  /** Another tab came. */
  leaveTab(): void {
    for (const id of this.#ofTab) this.#hide(id);
    this.#ofTab.clear();
  }

  /** Takes one off the screen, as read. */
  dismiss(id: number): void {
    if (!this.#items.some((toast) => toast.id === id)) return;
    this.#hide(id);
    this.#unread = Math.max(0, this.#unread - 1);
  }

  /** Does what a message offers, which can be done once. */
  act(id: number): void {
    const action = this.#kept.find((toast) => toast.id === id)?.action;
    this.dismiss(id);
    this.#kept = this.#kept.map((toast) => {
      if (toast.id !== id) return toast;
      const { action: _done, ...rest } = toast;
      return rest;
    });
    action?.run();
  }

  /** All of them have been seen. */
  markRead(): void {
    this.#unread = 0;
  }

  clear(): void {
    this.#kept = [];
    this.#items = [];
    this.#unread = 0;
  }

  #keep(toast: Toast, isSeen: boolean): void {
    this.#kept = [toast, ...this.#kept].slice(0, KEPT);
    if (!isSeen) this.#unread = Math.min(KEPT, this.#unread + 1);
  }

  #hide(id: number): void {
    this.#items = this.#items.filter((toast) => toast.id !== id);
  }
}
