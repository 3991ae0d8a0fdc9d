/** Tiles of a level side by side, from `first` on. */
export interface Stretch {
  readonly level: number;
  readonly first: number;
  readonly count: number;
}

interface Placed {
  readonly level: number;
  readonly index: number;
}

/** What a shelf has to know of its tiles. */
export interface TileKind<Tile> {
  /** Whether one serves every finer scale too. */
  isExact(tile: Tile): boolean;
  bytes(tile: Tile): number;
}

const keyOf = (level: number, index: number) => `${level}.${index}`;

/** The tiles that are known of one line, and what those of the stretch looked at last come to. */
export class TileShelf<Joined, Tile extends Placed> {
  /** The level at which one tile holds all. */
  readonly #top: number;
  readonly #kind: TileKind<Tile>;
  readonly #tiles = new Map<string, Tile>();
  #bytes = 0;
  #changes = 0;
  #last:
    | { readonly key: string; readonly joined: Joined; readonly missing: readonly Stretch[] }
    | undefined;

  constructor(top: number, kind: TileKind<Tile>) {
    this.#top = top;
    this.#kind = kind;
  }

  /** How much its tiles hold. */
  get bytes(): number {
    return this.#bytes;
  }

  get joined(): Joined | undefined {
    return this.#last?.joined;
  }

  put(tiles: readonly Tile[]): void {
    for (const tile of tiles) this.#set(tile);
    this.#changes++;
  }

  #set(tile: Tile): void {
    const key = keyOf(tile.level, tile.index);
    const before = this.#tiles.get(key);
    if (before !== undefined) this.#bytes -= this.#kind.bytes(before);
    this.#bytes += this.#kind.bytes(tile);
    this.#tiles.set(key, tile);
  }

  /** What of a stretch is not known as well as it can be; of the first one also all at its coarsest. */
  missing(stretch: Stretch): readonly Stretch[] {
    if (this.#last?.key === this.#keyOf(stretch)) return this.#last.missing;
    const { level, first, count } = stretch;
    const missing: Stretch[] = [];
    if (!this.#tiles.has(keyOf(this.#top, 0)))
      missing.push({ level: this.#top, first: 0, count: 1 });
    let from = first;
    let to = first + count;
    while (from < to && this.#isSettled(level, from)) from++;
    while (to > from && this.#isSettled(level, to - 1)) to--;
    if (to > from && level !== this.#top) missing.push({ level, first: from, count: to - from });
    return missing;
  }

  /** What the best tiles of a stretch come to; the same object until better ones are here. */
  join(stretch: Stretch, join: (tiles: (Tile | undefined)[]) => Joined): Joined {
    const key = this.#keyOf(stretch);
    if (this.#last?.key === key) return this.#last.joined;
    const missing = this.missing(stretch);
    const tiles = Array.from({ length: stretch.count }, (_, at) =>
      this.#best(stretch.level, stretch.first + at),
    );
    const joined = join(tiles);
    this.#last = { key, joined, missing };
    return joined;
  }

  /** Lets go of all but the coarsest. */
  trim(): void {
    const top = this.#tiles.get(keyOf(this.#top, 0));
    this.#tiles.clear();
    this.#bytes = 0;
    if (top !== undefined) this.#set(top);
    this.#changes++;
  }

  #keyOf({ level, first, count }: Stretch): string {
    return `${level}.${first}.${count}.${this.#changes}`;
  }

  #isSettled(level: number, index: number): boolean {
    const best = this.#best(level, index);
    return best !== undefined && (best.level === level || this.#kind.isExact(best));
  }

  /** The finest tile that holds a place, of its level or a coarser one. */
  #best(level: number, index: number): Tile | undefined {
    for (let up = 0; level + up <= this.#top; up++) {
      const kept = this.#tiles.get(keyOf(level + up, Math.floor(index / 2 ** up)));
      if (kept !== undefined) return kept;
    }
    return undefined;
  }
}
