import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import { foldersOfSameNames } from '../../../src-main/shared/library/same-names.ts';
import { clamp } from '../../lib/clamp.ts';
import {
  filterEntries,
  type LibraryColumn,
  type LibraryFilter,
  type LibrarySort,
  noFilter,
  sortEntries,
} from '../../lib/library-list.ts';
import { toggled } from '../../lib/toggled.ts';
import type { Library } from './library.svelte.ts';

/** Columns whose first click shows the largest or latest first. */
const descendingFirst: readonly LibraryColumn[] = ['recorded', 'length', 'size', 'opened', 'notes'];

/** The list as the screen shows it: narrowed, ordered, with the rows the user picked. */
export class LibraryList {
  readonly #library: Library;
  #sort = $state.raw<LibrarySort>({ column: 'opened', direction: 'descending' });
  #filter = $state.raw<LibraryFilter>(noFilter);
  #picked = $state.raw<ReadonlySet<number>>(new Set());
  #focusedId = $state<number | undefined>();
  #anchorId: number | undefined;

  readonly shown: readonly Investigation[] = $derived.by(() =>
    sortEntries(filterEntries(this.#library.found ?? [], this.#filter), this.#sort),
  );
  /** The picked entries that are shown, in the order of the list. */
  readonly picked: readonly Investigation[] = $derived.by(() =>
    this.shown.filter(({ id }) => this.#picked.has(id)),
  );
  /** By ids, of entries that their names don't tell apart: the folder that does. */
  readonly folders: ReadonlyMap<number, string> = $derived.by(() =>
    foldersOfSameNames(this.#library.entries ?? []),
  );
  /** Index of the row that has, or would get, the focus. */
  readonly focusedIndex: number = $derived.by(() =>
    Math.max(
      0,
      this.shown.findIndex(({ id }) => id === this.#focusedId),
    ),
  );

  constructor(library: Library) {
    this.#library = library;
  }

  get sort(): LibrarySort {
    return this.#sort;
  }

  get filter(): LibraryFilter {
    return this.#filter;
  }

  get isNarrowed(): boolean {
    return this.#filter !== noFilter || this.#library.search !== '';
  }

  isPicked(id: number): boolean {
    return this.#picked.has(id);
  }

  sortBy(column: LibraryColumn): void {
    const first = descendingFirst.includes(column) ? 'descending' : 'ascending';
    const other = first === 'ascending' ? 'descending' : 'ascending';
    const again = this.#sort.column === column && this.#sort.direction === first;
    this.#sort = { column, direction: again ? other : first };
  }

  narrow(changes: Partial<LibraryFilter>): void {
    const next = { ...this.#filter, ...changes };
    const isNone = next.tags.length === 0 && next.verdict === '' && next.state === 'any';
    this.#filter = isNone ? noFilter : next;
  }

  toggleTag(tag: string): void {
    const { tags } = this.#filter;
    this.narrow({
      tags: tags.includes(tag) ? tags.filter((each) => each !== tag) : [...tags, tag],
    });
  }

  showAll(): void {
    this.#filter = noFilter;
    this.#library.setSearch('');
  }

  /** Moves the focus to a row and picks it; `extend` picks all from the last one, `toggle` only turns it. */
  pick(index: number, how: 'one' | 'extend' | 'toggle' = 'one'): void {
    const entry = this.shown[clamp(index, 0, this.shown.length - 1)];
    if (entry === undefined) return;
    this.#focusedId = entry.id;
    if (how === 'extend') this.#picked = new Set(this.#idsTo(entry.id));
    else {
      this.#anchorId = entry.id;
      this.#picked = how === 'one' ? new Set([entry.id]) : toggled(this.#picked, entry.id);
    }
  }

  pickAll(): void {
    this.#picked = new Set(this.shown.map(({ id }) => id));
  }

  unpick(): void {
    this.#picked = new Set();
  }

  /** What a command acts on: the picked entries, if the one it was asked for is among them. */
  targetsOf(entry: Investigation): readonly Investigation[] {
    return this.#picked.has(entry.id) ? this.picked : [entry];
  }

  #idsTo(id: number): number[] {
    const ids = this.shown.map((entry) => entry.id);
    const to = ids.indexOf(id);
    const anchor = this.#anchorId === undefined ? -1 : ids.indexOf(this.#anchorId);
    const from = anchor < 0 ? to : anchor;
    return ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  }
}
