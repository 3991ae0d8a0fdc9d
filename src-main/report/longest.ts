/** Keeps the longest of many, without an object for each. */
export class Longest<Value extends { readonly durationNs: number }> {
  readonly #limit: number;
  #kept: Value[] = [];
  #seen = 0;
  /** What is shorter than this cannot be among them. */
  #bar = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many were offered. */
  get seen(): number {
    return this.#seen;
  }

  offer(durationNs: number, make: () => Value): void {
    this.#seen += 1;
    if (durationNs <= this.#bar) return;
    this.#kept.push(make());
    if (this.#kept.length >= this.#limit * 4) this.#shrink();
  }

  /** Counts those that were found too short before they were offered. */
  passOver(count: number): void {
    this.#seen += count;
  }

  /** The longest first; equally long ones in the order they were offered. */
  values(): readonly Value[] {
    this.#shrink();
    return this.#kept;
  }

  #shrink(): void {
    this.#kept = this.#kept.sort((a, b) => b.durationNs - a.durationNs).slice(0, this.#limit);
    if (this.#kept.length === this.#limit) this.#bar = this.#kept.at(-1)?.durationNs ?? -Infinity;
  }
}
