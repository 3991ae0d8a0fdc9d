import type { FlameWindow } from '../../state/investigation/flame-pane.svelte.ts';

const LENGTH_MS = 180;

/** A view on its way to another. Whoever prefers less motion is there at once. */
export class FlameAnimation {
  #from: FlameWindow;
  #to: FlameWindow;
  #startedMs = 0;

  constructor(window: FlameWindow) {
    this.#from = this.#to = window;
  }

  /** Goes to `window` from what is shown at `nowMs`. `isSmooth`: in steps, not at once. */
  goTo(window: FlameWindow, nowMs: number, isSmooth: boolean): void {
    if (window === this.#to) return;
    this.#from = isSmooth ? this.at(nowMs) : window;
    this.#to = window;
    this.#startedMs = nowMs;
  }

  isMoving(nowMs: number): boolean {
    return this.#from !== this.#to && nowMs < this.#startedMs + LENGTH_MS;
  }

  at(nowMs: number): FlameWindow {
    if (!this.isMoving(nowMs)) return this.#to;
    const share = Math.max(0, (nowMs - this.#startedMs) / LENGTH_MS);
    const eased = 1 - (1 - share) ** 3;
    const between = (from: number, to: number) => from + (to - from) * eased;
    return {
      left: between(this.#from.left, this.#to.left),
      right: between(this.#from.right, this.#to.right),
    };
  }
}
