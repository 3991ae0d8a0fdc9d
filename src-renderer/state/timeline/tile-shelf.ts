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

/** Levels are fewer than that. */
const LEVELS = 64;
const keyOf = (level: number, index: number) => index * LEVELS + level;

/** From where to where, in tiles of the finest level. */
const spanOf = ({ level, first, count }: Stretch) => ({
  from: first * 2 ** level,
  to: (first + count) * 2 ** level,
});

/** Whether all of a stretch lies within another. */
function holds(outer: Stretch, inner: Stretch): boolean {
  const [out, own] = [spanOf(outer), spanOf(inner)];
  return out.from <= own.from && out.to >= own.to;
}

const isEqual = (a: Stretch, b: Stretch): boolean =>
  a.level === b.level && a.first === b.first && a.count === b.count;

/** The stretch on the screen, what is around it, and what lies ahead. */
const MOST_LOOKS = 3;

/** What is known of the tiles of a stretch. */
interface Look {
  readonly stretch: Stretch;
  /** How often tiles had come by then. */
  readonly changes: number;
  readonly missing: readonly Stretch[];
  /** Whether all of its tiles are. */
  readonly isExact: boolean;
}

/** What the tiles of a stretch came to. */
interface Joining<Joined> {
  readonly stretch: Stretch;
  readonly joined: Joined;
  readonly isExact: boolean;
  readonly changes: number;
}

/** The tiles that are known of one line, and what those of the stretch looked at last come to. */
export class TileShelf<Joined, Tile extends Placed> {
  /** The level at which one tile holds all. */
  readonly #top: number;
  readonly #kind: TileKind<Tile>;
  readonly #tiles = new Map<number, Tile>();
  #bytes = 0;
  #changes = 0;
  #last: Joining<Joined> | undefined;
  #looks: readonly Look[] = [];

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
    return this.#look(stretch).missing;
  }

  /**
   * What the best tiles of a stretch come to, and of a little more where it moves to: the same object until that is left,
   * or there are better tiles for it. Where `putsOff`, and what was joined last shows all of the stretch at its level or the one
   * beside it, that is good enough for a frame.
   */
  join(
    stretch: Stretch,
    join: (tiles: (Tile | undefined)[], of: Stretch) => Joined,
    putsOff = () => false,
  ): Joined {
    const { isExact } = this.#look(stretch);
    const last = this.#last;
    if (last !== undefined && holds(last.stretch, stretch)) {
      const levels = Math.abs(last.stretch.level - stretch.level);
      const isSame = last.changes === this.#changes && last.isExact === isExact && levels === 0;
      if (isSame || (levels <= 1 && putsOff())) return last.joined;
    }
    const wide = this.#ahead(stretch);
    const joined = join(this.#tilesOf(wide), wide);
    this.#last = { stretch: wide, joined, isExact, changes: this.#changes };
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

  /**
   * The stretch, and half of it more on each side to which the last one moved. As it is where that is not known as well,
   * or would be drawn in another way.
   */
  #ahead(stretch: Stretch): Stretch {
    if (this.#last === undefined) return stretch;
    const [before, now] = [spanOf(this.#last.stretch), spanOf(stretch)];
    const { level, first, count } = stretch;
    const more = Math.ceil(count / 2);
    const from = now.from < before.from ? Math.max(0, first - more) : first;
    const end = 2 ** (this.#top - level);
    const to = now.to > before.to ? Math.min(end, first + count + more) : first + count;
    const wide = { level, first: from, count: to - from };
    const { missing, isExact } = this.#look(wide);
    return missing.length === 0 && isExact === this.#look(stretch).isExact ? wide : stretch;
  }

  #tilesOf({ level, first, count }: Stretch): (Tile | undefined)[] {
    return Array.from({ length: count }, (_, at) => this.#best(level, first + at));
  }

  /** Each frame asks for the same few stretches. */
  #look(stretch: Stretch): Look {
    const known = this.#looks.find(
      (look) => look.changes === this.#changes && isEqual(look.stretch, stretch),
    );
    if (known !== undefined) return known;
    const { level, first } = stretch;
    const tiles = this.#tilesOf(stretch);
    const isExact = (tile: Tile | undefined) => tile !== undefined && this.#kind.isExact(tile);
    const settled = tiles.map((tile) => tile?.level === level || isExact(tile));
    const missing: Stretch[] = [];
    if (!this.#tiles.has(keyOf(this.#top, 0)))
      missing.push({ level: this.#top, first: 0, count: 1 });
    const from = settled.indexOf(false);
    if (from >= 0 && level !== this.#top)
      missing.push({ level, first: first + from, count: settled.lastIndexOf(false) - from + 1 });
    const changes = this.#changes;
    const look = { stretch, changes, missing, isExact: tiles.every(isExact) };
    this.#looks = [look, ...this.#looks.slice(0, MOST_LOOKS - 1)];
    return look;
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
