/** Whoever fetches frames: a channel. */
export type Fetcher = symbol;

/** Of one frame at most: the one who took it, and one who takes it over. */
const MOST_HOLDERS = 2;

/** Which frames are missing, and who fetches them now. Each is proved once; who is second was in vain. */
export class WorkList {
  private readonly proved: boolean[];
  private readonly holders = new Map<number, Map<Fetcher, number>>();
  private readonly waiting = new Set<() => void>();
  /** Below it nothing is free. */
  private next = 0;
  private missingCount: number;

  /** `proved[n]`: frame n is here already. */
  constructor(proved: readonly boolean[]) {
    this.proved = [...proved];
    this.missingCount = proved.filter((done) => !done).length;
  }

  get missing(): number {
    return this.missingCount;
  }

  /** Missing frames that nobody fetches. */
  get free(): number {
    return this.missingCount - this.holders.size;
  }

  isProved(frame: number): boolean {
    return this.proved[frame] === true;
  }

  /** The first frame that nobody fetches. */
  take(who: Fetcher, nowMs: number): number | undefined {
    while (
      this.next < this.proved.length &&
      (this.proved[this.next] || this.holders.has(this.next))
    )
      this.next++;
    if (this.next >= this.proved.length) return undefined;
    this.holders.set(this.next, new Map([[who, nowMs]]));
    return this.next++;
  }

  /** A frame that another one has been fetching for `longerThanMs` or more: the longest of them. */
  takeOver(who: Fetcher, nowMs: number, longerThanMs: number): number | undefined {
    let found: number | undefined;
    let oldestMs = nowMs - longerThanMs;
    for (const [frame, holders] of this.holders) {
      if (holders.size >= MOST_HOLDERS || holders.has(who)) continue;
      const [sinceMs = nowMs] = holders.values();
      if (sinceMs > oldestMs) continue;
      oldestMs = sinceMs;
      found = frame;
    }
    if (found !== undefined) this.holders.get(found)?.set(who, nowMs);
    return found;
  }

  /** The frame is here; false where it was already. */
  prove(frame: number): boolean {
    if (this.proved[frame] !== false) return false;
    this.proved[frame] = true;
    this.holders.delete(frame);
    this.missingCount--;
    this.tell();
    return true;
  }

  /** Whoever it was fetches no more: others can have its frames. */
  giveBack(who: Fetcher): void {
    for (const [frame, holders] of this.holders) {
      holders.delete(who);
      if (holders.size > 0) continue;
      this.holders.delete(frame);
      this.next = Math.min(this.next, frame);
    }
    this.tell();
  }

  /** These have to be fetched again. */
  miss(frames: Iterable<number>): void {
    for (const frame of frames) {
      if (this.proved[frame] !== true) continue;
      this.proved[frame] = false;
      this.missingCount++;
      this.next = Math.min(this.next, frame);
    }
    this.tell();
  }

  /** Settles at the next change. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  /** Lets all go on that wait for a change. */
  tell(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
