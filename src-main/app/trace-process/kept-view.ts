import type { TilesWanted } from '../../shared/rpc/tiles-query.ts';
import { KeptTiles, type KeptTilesContent } from '../../timeline/tiles/kept-tiles.ts';
import type { TileAnswer } from '../../timeline/tiles/tile-answers.ts';
import type { Kept } from './kept-trace.ts';

/** Tiles come one answer after the other: they are written once none was new for so long. */
const WRITE_AFTER_MS = 1_000;
/** They are kept as what was answered to this. */
const TILES = 'tiles';

/** The first view of a trace: what was drawn of it the last time is drawn before its rows are read. */
export interface KeptView {
  find(wanted: TilesWanted): Promise<TileAnswer | undefined>;
  /** Keeps what was told of a trace of that length for the next time. */
  note(wanted: TilesWanted, told: TileAnswer, lengthNs: number): void;
}

/** What `kept` has of the first view. */
export function keptView(kept: Pick<Kept, 'answer' | 'keepAnswer'>): KeptView {
  const known = kept.answer(TILES).then((content) => new KeptTiles(content as KeptTilesContent));
  let waiting: NodeJS.Timeout | undefined;
  // One after the other: two would write one file.
  let written = Promise.resolve();
  function writeLater({ content }: KeptTiles): void {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      written = written.then(() => kept.keepAnswer(TILES, content));
    }, WRITE_AFTER_MS).unref();
  }
  return {
    find: async (wanted) => (await known).find(wanted),
    note: (wanted, told, lengthNs) =>
      void known.then((tiles) => {
        if (tiles.note(wanted, told, lengthNs)) writeLater(tiles);
      }),
  };
}
