import { commandSpec } from '../../src-main/shared/commands.ts';
import { clamp } from '../lib/clamp.ts';
import { type FuzzyMatch, fuzzyMatch } from '../lib/fuzzy-match.ts';
import type { AppState } from './app.svelte.ts';
import { type RecentStorage, Recents } from './recents.svelte.ts';

interface PaletteEntry {
  /** Tells entries apart, also from one start of the app to the next. */
  readonly key: string;
  readonly title: string;
  /** What kind of thing it is. */
  readonly kind: string;
  /** Behind the title: its key, or the machine of an investigation. */
  readonly hint: string;
  run(): void;
}

interface PaletteHit extends PaletteEntry {
  readonly positions: readonly number[];
}

/** More than anybody reads. */
const SHOWN = 60;
/** What was used lately is a little more likely meant. */
const RECENT_BONUS = 6;

/** What the command palette offers for what is typed: commands that can be done now, traces to open. */
export class Palette {
  readonly #app: AppState;
  readonly #recents: Recents;
  query = $state('');
  #active = $state(0);
  readonly #entries = $derived.by(() => [...this.#commands(), ...this.#traces()]);
  readonly hits: readonly PaletteHit[] = $derived.by(() => this.#find());

  constructor(app: AppState, storage: RecentStorage) {
    this.#app = app;
    this.#recents = new Recents(storage);
  }

  /** Index of the hit that Enter runs; −1 where there is none. */
  get active(): number {
    return Math.min(this.#active, this.hits.length - 1);
  }

  search(query: string): void {
    this.query = query;
    this.#active = 0;
  }

  /** Moves through the hits, round at the ends. */
  step(by: number): void {
    const { length } = this.hits;
    if (length > 0) this.#active = (this.active + by + length) % length;
  }

  moveTo(index: number): void {
    this.#active = clamp(index, 0, this.hits.length - 1);
  }

  run(hit: PaletteEntry): void {
    this.#recents.use(hit.key);
    hit.run();
  }

  #commands(): PaletteEntry[] {
    const { commands, keys } = this.#app;
    return commands.available
      .filter((id) => id !== 'palette')
      .map((id) => ({
        key: id,
        title: commandSpec(id).title,
        kind: commandSpec(id).group,
        hint: keys.labelOf(id),
        run: () => void commands.run(id),
      }));
  }

  #traces(): PaletteEntry[] {
    const { library, opener, investigation } = this.#app;
    const shown = investigation.opened?.investigation.id;
    return (library.entries ?? [])
      .filter(({ id }) => id !== shown)
      .map((entry) => ({
        key: `open-${entry.id}`,
        title: `Open: ${entry.name}`,
        kind: 'Library',
        hint: entry.machine ?? '',
        run: () => void opener.openEntry(entry),
      }));
  }

  #find(): PaletteHit[] {
    const recent = new Map(this.#recents.keys.map((key, rank) => [key, rank]));
    const rankOf = ({ key }: PaletteEntry) => recent.get(key) ?? Number.POSITIVE_INFINITY;
    const matches = this.#entries.flatMap((entry) => {
      const match: FuzzyMatch | undefined = fuzzyMatch(this.query, entry.title);
      if (match === undefined) return [];
      const bonus = this.query.trim() !== '' && recent.has(entry.key) ? RECENT_BONUS : 0;
      return [{ ...entry, positions: match.positions, score: match.score + bonus }];
    });
    const byRank = (a: PaletteEntry, b: PaletteEntry) => {
      const [first, second] = [rankOf(a), rankOf(b)];
      return first === second ? 0 : first - second;
    };
    return matches.sort((a, b) => b.score - a.score || byRank(a, b)).slice(0, SHOWN);
  }
}
