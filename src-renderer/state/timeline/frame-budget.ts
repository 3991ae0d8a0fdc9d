/**
 * Frames in a row that may put something off. Each one after them may do more than the one before, so that nothing is put off for
 * ever: all that is left at once would make one frame that everybody sees.
 */
const MOST_LATE = 30;

/** How much may be done for one frame, which is drawn in one turn of the page. What is over that is put off to the next. */
export class FrameBudget {
  readonly #most: number;
  readonly #endFrame: (isLate: boolean) => void;
  #spent = 0;
  #isOpen = false;
  #isLate = false;
  /** Frames in a row that were late. */
  #late = 0;

  /** `endFrame` is told whether something was put off, so that it has to be drawn again. */
  constructor(most: number, endFrame: (isLate: boolean) => void) {
    this.#most = most;
    this.#endFrame = endFrame;
  }

  /** Something is drawn, if only what costs nothing: the frame before may have been late. */
  begin(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    queueMicrotask(() => this.#end());
  }

  spend(amount: number): void {
    this.begin();
    this.#spent += amount;
  }

  /** Whether this frame has had its share, so that something is put off. */
  putsOff(): boolean {
    this.begin();
    const shares = 1 + Math.max(0, this.#late + 1 - MOST_LATE);
    const isOver = this.#spent >= shares * this.#most;
    if (isOver) this.#isLate = true;
    return isOver;
  }

  #end(): void {
    const isLate = this.#isLate;
    this.#isOpen = this.#isLate = false;
    this.#spent = 0;
    this.#late = isLate ? this.#late + 1 : 0;
    this.#endFrame(isLate);
  }
}
