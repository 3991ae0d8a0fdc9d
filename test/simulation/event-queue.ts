interface Scheduled {
  readonly atNs: number;
  readonly order: number;
  readonly run: () => void;
}

function isBefore(left: Scheduled, right: Scheduled): boolean {
  return left.atNs < right.atNs || (left.atNs === right.atNs && left.order < right.order);
}

/** What is going to happen, earliest first; things of one moment in the order they were planned. */
export class EventQueue {
  readonly #heap: Scheduled[] = [];
  #planned = 0;

  add(atNs: number, run: () => void): void {
    const heap = this.#heap;
    const added = { atNs, order: this.#planned++, run };
    let at = heap.length;
    heap.push(added);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as Scheduled;
      if (!isBefore(added, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = added;
  }

  /** Takes the earliest, `undefined` once nothing is planned. */
  take(): Scheduled | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, heap[below] as Scheduled)) below++;
      if (!isBefore(heap[below] as Scheduled, last)) break;
      heap[at] = heap[below] as Scheduled;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
