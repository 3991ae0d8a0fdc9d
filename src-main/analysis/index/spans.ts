import type { TimeSpan } from '../../shared/answers/summary.ts';

/** Stretches of time, ns: disjoint, in order, none empty. */
export interface Spans {
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
}

export const emptySpans: Spans = { startsNs: new Float64Array(0), endsNs: new Float64Array(0) };

/** Joins stretches that come in order of start, clipped to a window. */
export class SpanList {
  readonly #startsNs: number[] = [];
  readonly #endsNs: number[] = [];
  readonly #window: TimeSpan;

  constructor(window: TimeSpan) {
    this.#window = window;
  }

  add(startNs: number, endNs: number): void {
    const fromNs = Math.max(startNs, this.#window[0]);
    const toNs = Math.min(endNs, this.#window[1]);
    if (toNs <= fromNs) return;
    const last = this.#endsNs.length - 1;
    if (last >= 0 && fromNs <= this.#endsNs[last]) {
      this.#endsNs[last] = Math.max(this.#endsNs[last], toNs);
      return;
    }
    this.#startsNs.push(fromNs);
    this.#endsNs.push(toNs);
  }

  spans(): Spans {
    return {
      startsNs: Float64Array.from(this.#startsNs),
      endsNs: Float64Array.from(this.#endsNs),
    };
  }
}

/** Sum of the lengths, ns. */
export function spansLength({ startsNs, endsNs }: Spans): number {
  let sum = 0;
  for (let at = 0; at < startsNs.length; at++) sum += endsNs[at] - startsNs[at];
  return sum;
}

/** What of `spans` is not in `without`. */
export function spansWithout(spans: Spans, without: Spans): Spans {
  const left = new SpanList([-Infinity, Infinity]);
  let next = 0;
  for (let at = 0; at < spans.startsNs.length; at++) {
    let fromNs = spans.startsNs[at];
    const endNs = spans.endsNs[at];
    while (next < without.startsNs.length && without.endsNs[next] <= fromNs) next++;
    for (let gap = next; gap < without.startsNs.length && without.startsNs[gap] < endNs; gap++) {
      left.add(fromNs, without.startsNs[gap]);
      fromNs = Math.max(fromNs, without.endsNs[gap]);
    }
    left.add(fromNs, endNs);
  }
  return left.spans();
}

/** What lies in both. */
export function spansBoth(one: Spans, other: Spans): Spans {
  return spansWithout(one, spansWithout(one, other));
}

/** What lies in any of them. */
export function spansOfAny(all: readonly Spans[]): Spans {
  if (all.length === 1) return all[0];
  const list = new SpanList([-Infinity, Infinity]);
  const sorted = all
    .flatMap(({ startsNs, endsNs }) => Array.from(startsNs, (ns, at) => [ns, endsNs[at]] as const))
    .sort((a, b) => a[0] - b[0]);
  for (const [startNs, endNs] of sorted) list.add(startNs, endNs);
  return list.spans();
}

/** Whether a stretch lies in one of `spans` from end to end; stretches are asked for in order of time. */
export function withinCursor({
  startsNs,
  endsNs,
}: Spans): (startNs: number, endNs: number) => boolean {
  let next = 0;
  return (startNs, endNs) => {
    while (next < endsNs.length && endsNs[next] <= startNs) next++;
    return startsNs[next] <= startNs && endNs <= endsNs[next];
  };
}
