import {
  layoutTracks,
  type Row,
  type TrackLayout,
  type TrackRow,
} from '../../src-main/timeline/layout-tracks.ts';
import {
  matchesTrack,
  parseFilter,
  type TrackFilter,
} from '../../src-main/timeline/track-filter.ts';
import { isEventTrack, type Track, type TrackGroup } from '../../src-main/timeline/track-model.ts';

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Which tracks are on screen and how; none of it is lost when more data arrives. */
export class TrackList {
  readonly #groups: () => readonly TrackGroup[];
  #hidden = $state.raw<ReadonlySet<string>>(new Set());
  #expanded = $state.raw<ReadonlySet<string>>(new Set());
  #collapsedGroups = $state.raw<ReadonlySet<string>>(new Set());
  #pinned = $state.raw<readonly string[]>([]);
  #focusedId = $state<string | undefined>();
  #timesFocused = $state(0);
  filterText = $state('');

  readonly filter: TrackFilter = $derived(parseFilter(this.filterText));
  readonly layout: TrackLayout = $derived.by(() => this.#layOutWithout(this.#hidden));
  readonly hiddenTracks: readonly Track[] = $derived.by(() =>
    this.#groups().flatMap((group) => group.tracks.filter((track) => this.#hidden.has(track.id))),
  );

  constructor(groups: () => readonly TrackGroup[]) {
    this.#groups = groups;
  }

  #layOutWithout(hidden: ReadonlySet<string>): TrackLayout {
    const groupOf = new Map(
      this.#groups().flatMap((group) =>
        group.tracks.map((track) => [track, `${group.label} ${group.detail}`] as const),
      ),
    );
    return layoutTracks(this.#groups(), {
      hidden,
      expanded: this.#expanded,
      collapsedGroups: this.#collapsedGroups,
      pinned: this.#pinned,
      matches: (track) => matchesTrack(this.filter, track, groupOf.get(track) ?? ''),
    });
  }

  /** Whether tracks match the filter, and each of them is hidden. */
  get areAllMatchesHidden(): boolean {
    return this.layout.rows.length === 0 && this.#layOutWithout(new Set()).rows.length > 0;
  }

  get groups(): readonly TrackGroup[] {
    return this.#groups();
  }

  get trackRows(): readonly TrackRow[] {
    return this.layout.rows.filter((row) => row.kind === 'track');
  }

  /** The row the keys act on: the one focused last, else the first with events. */
  get focused(): Row | undefined {
    const { rows } = this.layout;
    return (
      rows.find((row) => row.id === this.#focusedId) ??
      rows.find((row) => row.kind === 'track' && isEventTrack(row.track)) ??
      rows[0]
    );
  }

  /** Rises whenever a row is focused, the same one too: then it must come on screen. */
  get timesFocused(): number {
    return this.#timesFocused;
  }

  focus(id: string): void {
    this.#focusedId = id;
    this.#timesFocused++;
  }

  /** Focuses the row `by` rows further down. */
  step(by: number): void {
    const { rows } = this.layout;
    const from = rows.findIndex((row) => row.id === this.focused?.id);
    const next = rows[Math.min(Math.max(from + by, 0), rows.length - 1)];
    if (next !== undefined) this.focus(next.id);
  }

  toggleExpanded(row: Row): void {
    if (row.kind === 'group') this.#collapsedGroups = toggled(this.#collapsedGroups, row.id);
    else if (isEventTrack(row.track) && row.track.expandable)
      this.#expanded = toggled(this.#expanded, row.id);
  }

  togglePinned(id: string): void {
    this.#pinned = this.#pinned.includes(id)
      ? this.#pinned.filter((pinned) => pinned !== id)
      : [...this.#pinned, id];
  }

  hide(id: string): void {
    this.step(this.layout.rows.at(-1)?.id === id ? -1 : 1);
    this.#hidden = new Set([...this.#hidden, id]);
  }

  unhide(id: string): void {
    this.#hidden = new Set([...this.#hidden].filter((hidden) => hidden !== id));
    this.focus(id);
  }

  unhideAll(): void {
    this.#hidden = new Set();
  }

  /** Brings a track back on screen, whatever kept it away. */
  reveal(track: Track): void {
    const group = this.#groups().find(({ tracks }) => tracks.includes(track));
    if (this.#hidden.has(track.id)) this.unhide(track.id);
    if (group !== undefined && this.#collapsedGroups.has(group.id))
      this.#collapsedGroups = toggled(this.#collapsedGroups, group.id);
    if (!this.layout.rows.some((row) => row.id === track.id)) this.filterText = '';
    this.focus(track.id);
  }

  /** Shows all lanes of a track, so that a nested event can be seen. */
  expand(id: string): void {
    this.#expanded = new Set([...this.#expanded, id]);
  }
}
