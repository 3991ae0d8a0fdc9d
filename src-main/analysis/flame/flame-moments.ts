/** How much was drawn before a moment: the weight to its left, and when it was, ns. */
type Moment = readonly [weight: number, ns: number];

/** More of them say nothing that can be seen. */
const MOST = 1_024;

/** When the events of a graph in order of time were: some of them, evenly, and the last. */
export class FlameMoments {
  #kept: Moment[] = [];
  #every = 1;
  #added = 0;
  #endNs = Number.NEGATIVE_INFINITY;

  /** An event from `startNs` to `endNs`, left of which `weight` is drawn; in order of start. */
  add(weight: number, startNs: number, endNs: number): void {
    if (this.#added++ % this.#every === 0) {
      // Where nothing is drawn between two events, time goes on at one place.
      if (this.#endNs < startNs && endNs > startNs) this.#kept.push([weight, this.#endNs]);
      this.#kept.push([weight, startNs]);
      if (this.#kept.length > MOST) this.#thin();
    }
    this.#endNs = Math.max(this.#endNs, endNs);
  }

  /** All of them; `weight`: of all that was added. */
  finish(weight: number): Moment[] {
    const known = this.#kept.filter(([, ns]) => Number.isFinite(ns));
    return known.length === 0 ? [] : [...known, [weight, this.#endNs]];
  }

  #thin(): void {
    this.#kept = this.#kept.filter((_, at) => at % 2 === 0);
    this.#every *= 2;
  }
}
