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
  /** It is of the open trace: elsewhere it is nothing to have first. */
  readonly isOfTrace?: true;
}

/** More than anybody reads. */
const SHOWN = 60;
/** What was used lately is a little more likely meant. */
const RECENT_BONUS = 6;

/** A name in the trace stands behind a command that fits as well. */
const BEHIND_COMMANDS = 10;

/** What the command palette offers for what is typed: commands that can be done now, traces to open, names in the open one. */
export class Palette {
  readonly #app: AppState;
  readonly #recents: Recents;
  query = $state('');
  #active = $state(0);
  readonly #entries = $derived.by(() => [...this.#commands(), ...this.#traces()]);
  /** Without what leads to a search. */
  readonly #named: readonly PaletteHit[] = $derived.by(() => this.#find());
  readonly hits: readonly PaletteHit[] = $derived.by(() => [
    ...this.#named,
    ...this.#app.finds
      .searchesFor(this.query)
      .map((search) => ({ ...search, positions: [], isOfTrace: true as const })),
  ]);

  constructor(app: AppState, storage: RecentStorage) {
    this.#app = app;
    this.#recents = new Recents(storage);
  }

  /** Whether nothing has a name like what is typed. */
  get hasNoName(): boolean {
    return this.#named.length === 0;
  }

  /** Index of the hit that Enter runs; −1 where there is none. */
  get active(): number {
    return Math.min(this.#active, this.hits.length - 1);
  }

  search(query: string): void {
    this.query = query;
    this.#active = 0;
    if (query.trim() !== '') void this.#app.finds.load();
  }

  /** Moves through the hits, round at the ends. */
  step(by: number): void {
    const { length } = this.hits;
    if (length > 0) this.#active = (this.active + by + length) % length;
  }

  moveTo(index: number): void {
    this.#active = clamp(index, 0, this.hits.length - 1);
  }

  run(hit: PaletteHit): void {
    if (hit.isOfTrace !== true) this.#recents.use(hit.key);
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
    return [...matches, ...this.#findInTrace()]
      .sort((a, b) => b.score - a.score || byRank(a, b))
      .slice(0, SHOWN);
  }

  /** Of thousands of names only those that have all that is typed as it stands, and none before something is. */
  #findInTrace() {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    return this.#app.finds.all.flatMap((find) => {
      const lower = find.title.toLowerCase();
      if (!words.every((word) => lower.includes(word))) return [];
      const match = fuzzyMatch(this.query, find.title);
      if (match === undefined) return [];
      const { positions, score } = match;
      return [{ ...find, positions, score: score - BEHIND_COMMANDS, isOfTrace: true as const }];
    });
  }
}
