export interface ToastAction {
  readonly label: string;
  run(): void;
}

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: ToastAction;
}

const VISIBLE_MS = 10_000;

/** Short messages that pass. Anything the user must not miss belongs on the screen instead. */
export class Toasts {
  #items = $state.raw<readonly Toast[]>([]);
  #nextId = 0;

  get items(): readonly Toast[] {
    return this.#items;
  }

  show(text: string, action?: ToastAction): void {
    const id = this.#nextId++;
    const toast = action === undefined ? { id, text } : { id, text, action };
    this.#items = [...this.#items, toast].slice(-3);
    setTimeout(() => this.dismiss(id), VISIBLE_MS);
  }

  dismiss(id: number): void {
    this.#items = this.#items.filter((toast) => toast.id !== id);
  }
}
