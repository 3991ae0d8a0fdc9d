import { MAX_FILTER_LENGTH } from '../../../src-main/shared/rpc/tiles-query.ts';
import {
  isEventTrack,
  type Track,
  type TrackGroup,
} from '../../../src-main/timeline/model/track-model.ts';
import { placeOfRow, rowWithId } from '../../../src-main/timeline/view/find-rows.ts';
import { fittingGroups } from '../../../src-main/timeline/view/fitting-groups.ts';
import {
  inOrder,
  isCollapsed,
  isHidden,
  layoutTracks,
  PINNED_GROUP_ID,
  type Row,
  type TrackLayout,
  type TrackRow,
} from '../../../src-main/timeline/view/layout-tracks.ts';
import { isExpandable } from '../../../src-main/timeline/view/row-expansion.ts';
import {
  choosesEvents,
  parseFilter,
  type TrackFilter,
} from '../../../src-main/timeline/view/track-filter.ts';
import {
  arranged,
  type SavedTracks,
  trackMatcher,
} from '../../../src-main/timeline/view/track-view.ts';
import { clamp } from '../../lib/clamp.ts';
import { toggled } from '../../lib/toggled.ts';

/** What a saved view keeps at most; see shared/view.ts. */
const MAX_SAVED_IDS = 2_000;
const MAX_ID_LENGTH = 300;

export const savedIds = (ids: Iterable<string>): string[] =>
  [...ids].filter((id) => id.length <= MAX_ID_LENGTH).slice(0, MAX_SAVED_IDS);

/** `ids` with one of them moved beside another. */
function placed(
  ids: readonly string[],
  id: string,
  beside: string,
  side: 'before' | 'after',
): string[] {
  const others = ids.filter((each) => each !== id);
  others.splice(others.indexOf(beside) + (side === 'after' ? 1 : 0), 0, id);
  return others;
}

const isOfTable = (track: Track) => isEventTrack(track) && track.table !== undefined;

/** Which tracks are on screen and how; none of it is lost when more data arrives. */
export class TrackList {
  readonly #groups: () => readonly TrackGroup[];
  #hidden = $state.raw<ReadonlySet<string>>(new Set());
  #expanded = $state.raw<ReadonlySet<string>>(new Set());
  #collapsedGroups = $state.raw<ReadonlySet<string>>(new Set());
  #pinned = $state.raw<readonly string[]>([]);
  #order = $state.raw<readonly string[]>([]);
  #focusedId = $state<string | undefined>();
  #timesFocused = $state(0);
  #moved = $state('');
  readonly #telling: () => readonly Track[];
  #isArranged = $state(false);
  /** They were arranged for somebody who was led somewhere, and who asked for it or against it. */
  #isLed = false;
  #isDeclined = false;
  /** Groups that were opened, or closed, while arranged. */
  #toggledGroups = $state.raw<ReadonlySet<string>>(new Set());
  /** Of those that were open because there was room: they were closed. */
  #closedGroups = $state.raw<ReadonlySet<string>>(new Set());
  /** Height of the place of the rows, in CSS pixels; 0 = not known. */
  roomPx = $state(0);
  filterText = $state('');

  readonly filter: TrackFilter = $derived(parseFilter(this.filterText));
  readonly #matcher = $derived.by(() => trackMatcher(this.#groups(), this.filter));
  readonly layout: TrackLayout = $derived.by(() => this.#layOutWithout(this.#hidden));
  readonly trackRows: readonly TrackRow[] = $derived.by(() =>
    this.layout.rows.filter((row) => row.kind === 'track'),
  );
  /** The row the keys act on: the one focused last, else the first with events of a table, else with any. */
  readonly focused: Row | undefined = $derived.by(() => {
    const { rows } = this.layout;
    return (
      (this.#focusedId === undefined ? undefined : rowWithId(this.layout, this.#focusedId)) ??
      rows.find((row) => row.kind === 'track' && isOfTable(row.track)) ??
      rows.find((row) => row.kind === 'track' && isEventTrack(row.track)) ??
      rows[0]
    );
  });
  readonly hiddenTracks: readonly Track[] = $derived.by(() => {
    const hidden = this.#hidden;
    if (hidden.size === 0) return [];
    return this.#groups().flatMap(({ tracks }) => tracks.filter(({ id }) => hidden.has(id)));
  });

  /** `telling`: the tracks that tell of what is looked at, from top to bottom; none where that is nothing. */
  constructor(groups: () => readonly TrackGroup[], telling: () => readonly Track[] = () => []) {
    this.#groups = groups;
    this.#telling = telling;
  }

  /** Whether there is something to arrange the tracks for. */
  get canArrange(): boolean {
    return this.#telling().length > 0;
  }

  /** Whether the tracks that tell of what is looked at stand on top, and all others are folded below. */
  get isArranged(): boolean {
    return this.#isArranged;
  }

  /** Arranges the tracks for what is looked at, and for whatever is looked at next; or shows them as they were. */
  arrange(isWanted: boolean): void {
    this.#isArranged = isWanted;
    this.#isLed = false;
    this.#isDeclined = !isWanted;
    this.#foldRest();
    if (isWanted) this.filterText = '';
  }

  /** Arranges the tracks for somebody who is led to an event, unless they took that back before, or filter the tracks. */
  lead(): void {
    if (this.#isArranged || this.#isDeclined || this.filterText !== '') return;
    this.#isArranged = true;
    this.#isLed = true;
    this.#foldRest();
  }

  /** Nothing is looked at any more: who was led finds the tracks as they were, before they look at something else. */
  endLead(): void {
    if (!this.#isLed) return;
    this.#isArranged = false;
    this.#isLed = false;
  }

  /** The groups that are not as they start, and what stands on top. */
  readonly #onTop = $derived.by(() => {
    const telling = this.#isArranged ? this.#telling().map(({ id }) => id) : [];
    if (telling.length === 0)
      return { pinned: this.#pinned, collapsedGroups: this.#collapsedGroups };
    const folded = arranged(telling, this.#pinned, this.#toggledGroups);
    const view = { ...folded, ...this.#viewWithout(this.#hidden) };
    const fitting = fittingGroups(this.#groups(), view, this.roomPx).filter(
      (id) => !this.#closedGroups.has(id),
    );
    return { ...folded, collapsedGroups: new Set([...this.#toggledGroups, ...fitting]) };
  });

  #foldRest(): void {
    this.#toggledGroups = new Set();
    this.#closedGroups = new Set();
  }

  #viewWithout(hidden: ReadonlySet<string>) {
    return {
      hidden,
      expanded: this.#expanded,
      order: this.#order,
      showsFolded: choosesEvents(this.filter),
      matches: this.#matcher,
    };
  }

  #layOutWithout(hidden: ReadonlySet<string>): TrackLayout {
    return layoutTracks(this.#groups(), { ...this.#onTop, ...this.#viewWithout(hidden) });
  }

  /** The tracks of a group that are neither hidden nor filtered out. */
  shownOf({ id, tracks }: TrackGroup): readonly Track[] {
    const view = { hidden: this.#hidden, pinned: this.#onTop.pinned };
    return tracks.filter(
      (track) => !isHidden(track, view) && this.#matcher(track, id === PINNED_GROUP_ID),
    );
  }

  /** Whether tracks match the filter, and each of them is hidden. */
  get areAllMatchesHidden(): boolean {
    return this.layout.rows.length === 0 && this.#layOutWithout(new Set()).rows.length > 0;
  }

  /** How many of the tracks that are not hidden the filter lets through, and how many there are. */
  get matchCounts(): { readonly matching: number; readonly all: number } {
    let matching = 0;
    let all = 0;
    for (const { tracks } of this.#groups())
      for (const track of tracks) {
        if (this.#hidden.has(track.id)) continue;
        all++;
        if (this.#matcher(track, false)) matching++;
      }
    return { matching, all };
  }

  get groups(): readonly TrackGroup[] {
    return this.#groups();
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
    const from = this.focused === undefined ? -1 : placeOfRow(this.layout, this.focused);
    const next = rows[clamp(from + by, 0, rows.length - 1)];
    if (next !== undefined) this.focus(next.id);
  }

  toggleExpanded(row: Row): void {
    if (row.kind === 'group') this.#toggleGroup(row.id);
    else if (isExpandable(row)) this.#expanded = toggled(this.#expanded, row.id);
  }

  /** Whether tracks stand on top that tell of what is looked at. */
  get #isTelling(): boolean {
    return 'pinnedLabel' in this.#onTop;
  }

  #isFolded(group: TrackGroup): boolean {
    const asArranged = this.#isTelling ? { ...group, startsCollapsed: true as const } : group;
    return isCollapsed(asArranged, this.#onTop.collapsedGroups);
  }

  #toggleGroup(id: string): void {
    if (!this.#isTelling) {
      this.#collapsedGroups = toggled(this.#collapsedGroups, id);
      return;
    }
    if (this.#onTop.collapsedGroups.has(id)) {
      this.#closedGroups = new Set([...this.#closedGroups, id]);
      this.#toggledGroups = new Set([...this.#toggledGroups].filter((each) => each !== id));
    } else this.#toggledGroups = new Set([...this.#toggledGroups, id]);
  }

  isPinned(id: string): boolean {
    return this.#pinned.includes(id);
  }

  togglePinned(id: string): void {
    this.#pinned = this.#pinned.includes(id)
      ? this.#pinned.filter((pinned) => pinned !== id)
      : [...this.#pinned, id];
  }

  /** Moves a track by one place among the shown ones of its group; whether there was one. */
  move(id: string, by: 1 | -1): boolean {
    const row = this.trackRows.find((shown) => shown.id === id);
    const siblings = this.trackRows.filter(
      (shown) => shown.group.id === row?.group.id && shown.lead === row.lead,
    );
    const neighbour = siblings[siblings.findIndex((shown) => shown.id === id) + by];
    if (neighbour === undefined) return false;
    this.place(id, neighbour.id, by === 1 ? 'after' : 'before');
    return true;
  }

  /** Puts a track beside another one of its group, or of the pinned ones. */
  place(id: string, beside: string, side: 'before' | 'after'): void {
    const row = rowWithId(this.layout, id);
    const target = rowWithId(this.layout, beside);
    if (row?.kind !== 'track' || target?.kind !== 'track') return;
    if (row.group.id !== target.group.id || row.lead !== target.lead || id === beside) return;
    // Those that tell stand in the order of what happened.
    if (row.group.id === PINNED_GROUP_ID && this.#isTelling) return;
    if (row.group.id === PINNED_GROUP_ID) this.#pinned = placed(this.#pinned, id, beside, side);
    else {
      const ids = this.#idsOfGroup(row.group.id);
      const own = new Set(ids);
      const others = this.#order.filter((each) => !own.has(each));
      this.#order = [...others, ...placed(ids, id, beside, side)];
    }
    this.focus(id);
    const siblings = this.trackRows.filter(
      (shown) => shown.group.id === row.group.id && shown.lead === row.lead,
    );
    const position = siblings.findIndex((shown) => shown.id === id) + 1;
    this.#moved = `${row.track.label} ${row.track.detail}: place ${position} of ${siblings.length}`;
  }

  /** Where a track was moved to, in words, for aria-live. */
  get moved(): string {
    return this.#moved;
  }

  /** All tracks of a group from top to bottom, shown or not. */
  #idsOfGroup(groupId: string): string[] {
    const group = this.#groups().find(({ id }) => id === groupId);
    return inOrder(group?.tracks ?? [], this.#order).map(({ id }) => id);
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

  isShown(id: string): boolean {
    return rowWithId(this.layout, id) !== undefined;
  }

  /** Brings a track back on screen, whatever kept it away. */
  reveal(track: Track): void {
    const group = this.#groups().find(({ tracks }) => tracks.includes(track));
    const { id, under } = track;
    for (const each of [id, under])
      if (each !== undefined && this.#hidden.has(each)) this.unhide(each);
    const isAbove = this.isOnTop(id) || (under !== undefined && this.isOnTop(under));
    if (!isAbove && group !== undefined && this.#isFolded(group)) this.#toggleGroup(group.id);
    if (!this.isShown(id) && under !== undefined) this.expand(under);
    if (!this.isShown(id)) this.filterText = '';
    this.focus(track.id);
  }

  /** Whether a track stands above all groups: pinned, or because it tells of what is looked at. */
  isOnTop(id: string): boolean {
    return this.#onTop.pinned.includes(id);
  }

  /** Pins a track, and brings it on screen. */
  pin(track: Track): void {
    if (!this.#pinned.includes(track.id)) this.#pinned = [...this.#pinned, track.id];
    this.reveal(track);
  }

  /** Shows all lanes of a track, and the tracks folded under it, so that what is nested can be seen. */
  expand(id: string): void {
    this.#expanded = new Set([...this.#expanded, id]);
  }

  /** What of this a saved view keeps. */
  saved(): SavedTracks {
    const telling = this.#isArranged ? savedIds(this.#telling().map(({ id }) => id)) : [];
    return {
      ...(telling.length > 0 && { telling }),
      pinned: savedIds(this.#pinned),
      hidden: savedIds(this.#hidden),
      expanded: savedIds(this.#expanded),
      collapsedGroups: savedIds(this.#collapsedGroups),
      order: savedIds(this.#order),
      filter: this.filterText.slice(0, MAX_FILTER_LENGTH),
    };
  }

  /** Shows the tracks as they were saved; those the trace has not (yet) keep their place in it. */
  restore(saved: SavedTracks): void {
    this.#pinned = saved.pinned;
    this.#hidden = new Set(saved.hidden);
    this.#expanded = new Set(saved.expanded);
    this.#collapsedGroups = new Set(saved.collapsedGroups);
    this.#order = saved.order;
    // Which tracks tell is worked out again: a newer version may know better.
    this.#isArranged = saved.telling !== undefined;
    this.#isLed = this.#isArranged;
    this.#foldRest();
    this.filterText = saved.filter;
  }
}
