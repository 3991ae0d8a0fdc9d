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

/** The stretch on the screen, what is around it, and both at a coarser level. */
const MOST_LOOKS = 4;

/** Tiles of so many levels up or down are good enough for a frame. */
const MOST_LEVELS_OFF = 2;

/** To which sides a stretch reaches further than the one before. */
interface Moved {
  readonly left: boolean;
  readonly right: boolean;
}

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
interface Joining<Joined, Tile> {
  readonly stretch: Stretch;
  readonly tiles: readonly (Tile | undefined)[];
  readonly joined: Joined;
  readonly isExact: boolean;
  readonly changes: number;
}

/** The tiles that are known of one line, and what those of the stretch looked at last come to. */
export class TileShelf<Joined, Tile extends Placed> {
  /** The level at which one tile holds all. */
  readonly #top: number;
  readonly #length: number;
  readonly #kind: TileKind<Tile>;
  readonly #tiles = new Map<number, Tile>();
  #bytes = 0;
  #changes = 0;
  #last: Joining<Joined, Tile> | undefined;
  /** The stretch that was looked at last, and where it had moved to. */
  #seen: Stretch | undefined;
  #moved: Moved = { left: false, right: false };
  #looks: readonly Look[] = [];

  /** `length`: of the line, in tiles of the finest level. */
  constructor(top: number, kind: TileKind<Tile>, length = 2 ** top) {
    this.#top = top;
    this.#length = length;
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
   * What the best tiles of a stretch come to, and of a little more where it moves to: the same object until that is nearly left,
   * or there are better tiles for it. Where `putsOff`, what was joined last is good enough for a frame if it shows all of the
   * stretch nearly as well; else fewer, coarser tiles are joined.
   */
  join(
    stretch: Stretch,
    join: (tiles: (Tile | undefined)[], of: Stretch) => Joined,
    putsOff = () => false,
  ): Joined {
    this.#see(stretch);
    const last = this.#last;
    const isHeld = last !== undefined && holds(last.stretch, stretch);
    if (isHeld) {
      const levels = Math.abs(last.stretch.level - stretch.level);
      const isDone = this.#isAsGood(last, stretch);
      if (isDone || (levels <= MOST_LEVELS_OFF && putsOff())) return last.joined;
    }
    const coarser = last === undefined || isHeld ? stretch : this.#coarser(stretch);
    const own = coarser !== stretch && putsOff() ? coarser : stretch;
    const wide = this.#ahead(own);
    const tiles = this.#tilesOf(wide);
    const joined = join(tiles, wide);
    const { isExact } = this.#look(own);
    this.#last = { stretch: wide, tiles, joined, isExact, changes: this.#changes };
    return joined;
  }

  /** Whether what was joined last is as good as what the tiles of a stretch come to now. What is exact is that at every scale. */
  #isAsGood(last: Joining<Joined, Tile>, stretch: Stretch): boolean {
    const isSameScale = last.stretch.level === stretch.level && !this.#look(stretch).isExact;
    if (!last.isExact && !isSameScale) return false;
    return this.#isUpToDate(last) && this.#reaches(last.stretch, stretch);
  }

  /** Whether it is of the tiles that it would be made of now: those that came since may be of other places. */
  #isUpToDate(last: Joining<Joined, Tile>): boolean {
    if (last.changes === this.#changes) return true;
    const isSame = this.#tilesOf(last.stretch).every((tile, at) => tile === last.tiles[at]);
    if (isSame) this.#last = { ...last, changes: this.#changes };
    return isSame;
  }

  /** Lets go of all but the coarsest. */
  trim(): void {
    this.#keepOnly([]);
  }

  /** Lets go of all but the coarsest, what was joined last, and what is around what was looked at last. */
  keepShown(): void {
    const around = this.#seen === undefined ? [] : this.#tilesOf(this.#widened(this.#seen));
    this.#keepOnly([...(this.#last?.tiles ?? []), ...around]);
  }

  #keepOnly(tiles: readonly (Tile | undefined)[]): void {
    const kept = new Set([this.#tiles.get(keyOf(this.#top, 0)), ...tiles]);
    const all = [...this.#tiles.values()];
    if (all.every((tile) => kept.has(tile))) return;
    this.#tiles.clear();
    this.#bytes = 0;
    for (const tile of all) if (kept.has(tile)) this.#set(tile);
    this.#changes++;
  }

  /**
   * A stretch with what is looked at next: a tile more on either side, as somebody may turn round, and half of it where it moves
   * to.
   */
  around(stretch: Stretch): Stretch {
    this.#see(stretch);
    return this.#widened(stretch);
  }

  #widened({ level, first, count }: Stretch): Stretch {
    const { left, right } = this.#moved;
    const more = Math.ceil(count / 2);
    const from = Math.max(0, first - (left ? more : 1));
    const to = Math.min(this.#endAt(level), first + count + (right ? more : 1));
    return { level, first: from, count: Math.max(first + count, to) - from };
  }

  /** What is around it, if it moves; as it is where that would be drawn in another way. */
  #ahead(stretch: Stretch): Stretch {
    const { left, right } = this.#moved;
    if (!left && !right) return stretch;
    const wide = this.#widened(stretch);
    return this.#look(wide).isExact === this.#look(stretch).isExact ? wide : stretch;
  }

  /** Whether what is joined goes on for long enough where a stretch moves to, or can't go further. */
  #reaches(joined: Stretch, stretch: Stretch): boolean {
    const { left, right } = this.#moved;
    const [out, own] = [spanOf(joined), spanOf(stretch)];
    const least = Math.ceil(stretch.count / 4) * 2 ** stretch.level;
    const isNear = (left && own.from - out.from < least) || (right && out.to - own.to < least);
    return !isNear || holds(joined, this.#ahead(stretch));
  }

  /** As coarse as is good enough for a frame, where all of that is known and the stretch would be drawn from buckets, too. */
  #coarser(stretch: Stretch): Stretch {
    const level = Math.min(this.#top, stretch.level + MOST_LEVELS_OFF);
    const { from, to } = spanOf(stretch);
    const first = Math.floor(from / 2 ** level);
    const coarse = { level, first, count: Math.ceil(to / 2 ** level) - first };
    const isKnown = !this.#look(stretch).isExact && this.#look(coarse).missing.length === 0;
    return isKnown ? coarse : stretch;
  }

  /** Notes where what is looked at moves to. */
  #see(stretch: Stretch): void {
    const seen = this.#seen ?? stretch;
    this.#seen = stretch;
    if (isEqual(seen, stretch)) return;
    const [before, now] = [spanOf(seen), spanOf(stretch)];
    this.#moved = { left: now.from < before.from, right: now.to > before.to };
  }

  /** How many tiles of a level there are. */
  #endAt(level: number): number {
    return Math.min(2 ** (this.#top - level), Math.floor(this.#length / 2 ** level) + 1);
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
