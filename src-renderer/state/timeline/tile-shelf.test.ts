import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TileShelf } from './tile-shelf.ts';

interface Tile {
  readonly level: number;
  readonly index: number;
  readonly isExact: boolean;
}

const TOP = 6;
const tile = (level: number, index: number, isExact = false): Tile => ({ level, index, isExact });
const run = (level: number, first: number, count: number) => ({ level, first, count });
const wholeTrace = run(TOP, 0, 1);

/** A shelf of these, joined into the names of the tiles that each place is drawn from. */
function shelfOf(...tiles: readonly Tile[]) {
  const shelf = new TileShelf<readonly string[], Tile>(TOP, {
    isExact: ({ isExact }) => isExact,
    bytes: ({ level }) => 100 + level,
  });
  const put = (...more: readonly Tile[]) => shelf.put(more);
  put(...tiles);
  const nameOf = (each: Tile | undefined) => (each ? `${each.level}.${each.index}` : '');
  const join = (level: number, first: number, count: number) =>
    shelf.join(run(level, first, count), (places) => places.map(nameOf));
  return { shelf, put, join };
}

test('at first all of it is missing, and with it the whole trace at its coarsest', () => {
  const { shelf, join } = shelfOf();
  expect(shelf.missing(run(2, 5, 3))).toEqual([wholeTrace, run(2, 5, 3)]);
  expect(shelf.missing(wholeTrace)).toEqual([wholeTrace]);
  expect(join(2, 5, 3)).toEqual(['', '', '']);
  expect(shelf.joined).toEqual(['', '', '']);
});

test('tiles that are known at either end are not missing', () => {
  const { shelf } = shelfOf(tile(TOP, 0), tile(2, 5), tile(2, 7), tile(2, 9));
  expect(shelf.missing(run(2, 5, 5))).toEqual([run(2, 6, 3)]);
  expect(shelf.missing(run(2, 4, 2))).toEqual([run(2, 4, 1)]);
  expect(shelf.missing(run(2, 5, 1))).toEqual([]);
  expect(shelf.missing(wholeTrace)).toEqual([]);
});

test('an exact tile serves every finer level, where it is', () => {
  const { shelf, join } = shelfOf(tile(TOP, 0), tile(3, 1, true));
  expect(shelf.missing(run(3, 1, 1))).toEqual([]);
  expect(shelf.missing(run(1, 4, 4))).toEqual([]);
  expect(shelf.missing(run(0, 15, 1))).toEqual([]);
  expect(join(1, 4, 4)).toEqual(['3.1', '3.1', '3.1', '3.1']);
  // Beside it, and at a coarser level, more is to be known.
  expect(shelf.missing(run(1, 3, 6))).toEqual([run(1, 3, 6)]);
  expect(shelf.missing(run(4, 0, 1))).toEqual([run(4, 0, 1)]);
  const { shelf: whole } = shelfOf(tile(TOP, 0, true));
  expect(whole.missing(run(0, 0, 64))).toEqual([]);
});

test('until its own is here a place is drawn from the finest coarser tile that holds it', () => {
  const { put, join } = shelfOf(tile(TOP, 0), tile(4, 1));
  expect(join(2, 3, 3)).toEqual(['6.0', '4.1', '4.1']);
  put(tile(3, 2));
  expect(join(2, 3, 3)).toEqual(['6.0', '3.2', '3.2']);
  put(tile(2, 5));
  expect(join(2, 3, 3)).toEqual(['6.0', '3.2', '2.5']);
  // A finer tile says nothing of a coarser place.
  expect(join(3, 2, 1)).toEqual(['3.2']);
  expect(join(5, 0, 2)).toEqual(['6.0', '6.0']);
});

test('what a stretch comes to is the same object until there are better tiles for it', () => {
  const { shelf, put, join } = shelfOf(tile(TOP, 0));
  const first = join(2, 0, 4);
  expect(join(2, 0, 4)).toBe(first);
  expect(shelf.joined).toBe(first);
  expect(shelf.missing(run(2, 0, 4))).toEqual([run(2, 0, 4)]);
  put(tile(2, 0));
  const second = join(2, 0, 4);
  expect(second).toEqual(['2.0', '6.0', '6.0', '6.0']);
  expect(shelf.missing(run(2, 0, 4))).toEqual([run(2, 1, 3)]);
  const beside = join(2, 1, 4);
  expect(beside).not.toBe(second);
  expect(shelf.joined).toBe(beside);
});

/** All tiles of a level from `first` on. */
const tilesOf = (level: number, first: number, count: number, isExact = false) =>
  Array.from({ length: count }, (_, at) => tile(level, first + at, isExact));

test('a part of what was joined last is that, until there are better tiles', () => {
  const { put, join } = shelfOf(tile(TOP, 0), ...tilesOf(2, 0, 8));
  const whole = join(2, 0, 8);
  expect(join(2, 3, 2)).toBe(whole);
  // Of another level it would be drawn otherwise.
  expect(join(1, 6, 4)).toEqual(['2.3', '2.3', '2.4', '2.4']);
  const again = join(2, 0, 8);
  // Of another place.
  put(tile(2, 14));
  expect(join(2, 3, 2)).toBe(again);
  put(tile(2, 3));
  expect(join(2, 3, 2)).toEqual(['2.3', '2.4']);
});

test('what was joined of exact tiles is drawn at every scale, as long as it holds the stretch', () => {
  const { put, join } = shelfOf(tile(TOP, 0), ...tilesOf(2, 0, 8, true), ...tilesOf(3, 0, 8));
  const exact = join(2, 1, 5);
  expect(exact).toEqual(['2.1', '2.2', '2.3', '2.4', '2.5']);
  expect(join(0, 8, 4)).toBe(exact);
  expect(join(1, 4, 2)).toBe(exact);
  expect(join(3, 1, 1)).toBe(exact);
  expect(join(3, 0, 2)).toEqual(['3.0', '3.1', '3.2']);
  const left = join(2, 0, 3);
  expect(left).toEqual(['2.0', '2.1', '2.2']);
  expect(join(1, 0, 4)).toBe(left);
  put(tile(2, 1, true));
  expect(join(1, 0, 4)).not.toBe(left);
});

test('it is joined ahead to where it moves, and a tile behind that', () => {
  const { put, join } = shelfOf(tile(TOP, 0), ...tilesOf(2, 0, 10));
  expect(join(2, 3, 4)).toEqual(['2.3', '2.4', '2.5', '2.6']);
  const right = join(2, 4, 4);
  expect(right).toEqual(['2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '2.9']);
  expect(join(2, 5, 4)).toBe(right);
  // Before it is left; what comes next is not known there.
  expect(join(2, 6, 4)).toEqual(['2.5', '2.6', '2.7', '2.8', '2.9', '6.0', '6.0']);
  const left = join(2, 2, 4);
  expect(left).toEqual(['2.0', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6']);
  expect(join(2, 1, 4)).toBe(left);
  // Before the first tile of the level and behind the last there is nothing.
  expect(join(2, 0, 4)).toBe(left);
  put(...tilesOf(2, 10, 6));
  expect(join(2, 12, 4)).toEqual(['2.11', '2.12', '2.13', '2.14', '2.15']);
});

test('what is around a stretch ends with the line', () => {
  const shelf = new TileShelf<number, Tile>(TOP, { isExact: () => false, bytes: () => 1 }, 41.5);
  expect(shelf.around(run(2, 3, 4))).toEqual(run(2, 2, 6));
  expect(shelf.around(run(2, 7, 4))).toEqual(run(2, 6, 5));
  expect(shelf.around(run(2, 0, 4))).toEqual(run(2, 0, 5));
  expect(shelf.around(run(TOP, 0, 1))).toEqual(run(TOP, 0, 1));
});

test('exact tiles are joined neither with others nor as a part of them: they are drawn event by event', () => {
  const { join } = shelfOf(tile(TOP, 0), ...tilesOf(2, 0, 4, true), ...tilesOf(2, 4, 12));
  const exact = join(2, 0, 3);
  expect(exact).toEqual(['2.0', '2.1', '2.2']);
  expect(join(2, 1, 3)).toEqual(['2.1', '2.2', '2.3']);
  const mixed = join(2, 2, 4);
  expect(mixed).toEqual(['2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7']);
  expect(join(2, 2, 2)).toEqual(['2.2', '2.3']);
});

/** A shelf of two levels, asked for frames that have no time for anything unless it is said. */
function lateShelf() {
  const { shelf } = shelfOf(tile(TOP, 0), ...tilesOf(3, 0, 8), ...tilesOf(2, 0, 16));
  return (level: number, first: number, count: number, isLate = true) =>
    shelf.join(
      run(level, first, count),
      (places) => places.map((each) => `${each?.level}.${each?.index}`),
      () => isLate,
    );
}

test('put off, what was joined last is shown as long as it holds the stretch, two levels up or down', () => {
  const joined = lateShelf();
  const before = joined(3, 1, 2);
  expect(before).toEqual(['3.1', '3.2']);
  expect(joined(2, 3, 2)).toBe(before);
  expect(joined(2, 3, 2, false)).toEqual(['2.3', '2.4']);
  const beside = joined(2, 6, 2);
  expect(beside).toEqual(['2.5', '2.6', '2.7', '2.8']);
  expect(joined(3, 3, 1)).toBe(beside);
  expect(joined(0, 24, 4)).toBe(beside);
  // Too coarse: it is joined all the same.
  const whole = joined(5, 0, 2, false);
  expect(joined(3, 1, 2)).toBe(whole);
  expect(joined(2, 4, 2)).toEqual(['2.4', '2.5']);
});

test('put off, what shows another stretch gives way to a few coarser tiles', () => {
  const { shelf, put } = shelfOf(tile(TOP, 0), ...tilesOf(1, 0, 32));
  const joined = (level: number, first: number, count: number, isLate = true) =>
    shelf.join(
      run(level, first, count),
      (places) => places.map((each) => `${each?.level}.${each?.index}`),
      () => isLate,
    );
  joined(1, 2, 3);
  // These are not known.
  expect(joined(1, 14, 3)).toEqual(['1.13', '1.14', '1.15', '1.16', '1.17', '1.18']);
  put(...tilesOf(3, 0, 8));
  expect(joined(1, 28, 3)).toEqual(['3.6', '3.7']);
  expect(joined(1, 28, 3, false)).toEqual(['1.27', '1.28', '1.29', '1.30', '1.31']);
});

test('put off, it is joined ahead once there is time', () => {
  const joined = lateShelf();
  joined(2, 2, 4);
  const ahead = joined(2, 3, 4);
  expect(ahead).toEqual(['2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8']);
  expect(joined(2, 5, 4)).toBe(ahead);
  expect(joined(2, 5, 4, false)).not.toBe(ahead);
});

test('let go of, it keeps the whole trace at its coarsest', () => {
  const { shelf, join } = shelfOf(tile(TOP, 0), tile(2, 0), tile(2, 1));
  expect(join(2, 0, 2)).toEqual(['2.0', '2.1']);
  shelf.trim();
  expect(join(2, 0, 2)).toEqual(['6.0', '6.0']);
  expect(shelf.missing(run(2, 0, 2))).toEqual([run(2, 0, 2)]);
});

test('at rest it keeps what is shown, what is around it and the whole trace, and shows the same', () => {
  const own = [3, 4, 5, 6].map((index) => tile(2, index));
  const { shelf, join } = shelfOf(tile(TOP, 0), tile(4, 3), tile(2, 15), tile(1, 8), ...own);
  const shown = join(2, 4, 2);
  shelf.keepShown();
  expect(shelf.bytes).toBe(106 + 4 * 102);
  expect(join(2, 4, 2)).toBe(shown);
  expect(shelf.missing(shelf.around(run(2, 4, 2)))).toEqual([]);
  expect(new Set(join(2, 15, 1))).toEqual(new Set(['6.0']));
});

test('it is as large as its tiles, each of which it has once', () => {
  const { shelf, put } = shelfOf();
  expect(shelf.bytes).toBe(0);
  shelf.trim();
  expect(shelf.bytes).toBe(0);
  put(tile(TOP, 0), tile(2, 0), tile(2, 1));
  expect(shelf.bytes).toBe(106 + 102 + 102);
  put(tile(2, 0, true), tile(2, 1));
  expect(shelf.bytes).toBe(106 + 102 + 102);
  shelf.trim();
  expect(shelf.bytes).toBe(106);
});

test('once what is missing is there, nothing is', () => {
  const level = fc.nat(TOP);
  const tiles = fc.array(
    level.chain((own) => fc.tuple(fc.constant(own), fc.nat(2 ** (TOP - own) - 1), fc.boolean())),
    { maxLength: 12 },
  );
  const stretch = level.chain((own) => {
    const places = 2 ** (TOP - own);
    return fc.tuple(fc.constant(own), fc.nat(places - 1), fc.integer({ min: 1, max: 9 }));
  });
  fc.assert(
    fc.property(tiles, stretch, (known, [own, first, most]) => {
      const wanted = run(own, first, Math.min(most, 2 ** (TOP - own) - first));
      const { shelf, put, join } = shelfOf(...known.map((each) => tile(...each)));
      for (const { level: at, first: from, count } of shelf.missing(wanted))
        put(...Array.from({ length: count }, (_, place) => tile(at, from + place)));
      expect(shelf.missing(wanted)).toEqual([]);
      expect(join(wanted.level, wanted.first, wanted.count)).not.toContain('');
    }),
  );
});
