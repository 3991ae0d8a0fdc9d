import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import type { SavedEvent } from '../../../src-main/shared/library/saved-event.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import { formatCount } from '../../../src-main/shared/text/units.ts';
import {
  buildTrackGroups,
  lostStretches,
  overviewLane,
} from '../../../src-main/timeline/build/build-tracks.ts';
import type { EventLane } from '../../../src-main/timeline/model/pyramid.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import type {
  LostStretch,
  Track,
  TrackGroup,
} from '../../../src-main/timeline/model/track-model.ts';
import { trackOfThread } from '../../../src-main/timeline/view/chain-tracks.ts';
import { type Row, shownLanes } from '../../../src-main/timeline/view/layout-tracks.ts';
import {
  type EventHit,
  eventAround,
  isLoaded,
  locateEvent,
  refOf,
  rowOfSaved,
} from '../../../src-main/timeline/view/locate-event.ts';
import {
  type SubmissionLinks,
  submissionLinks,
} from '../../../src-main/timeline/view/submission-links.ts';
import { spokenDetails } from './event-details.ts';
import { neighbourMatch, neighbourOnTrack, slowCalls } from './navigation.ts';
import { savedEventOf, savedWindow } from './saved-event.ts';
import type { Selection } from './selection.svelte.ts';
import { savedIds, TrackList } from './tracks.svelte.ts';
import { Viewport } from './viewport.svelte.ts';

/** A stretch of time of one thread that another screen points at. */
export interface PointedMoment {
  /** What happened there, where it is a row of a table. */
  readonly event: EventRef | undefined;
  /** Index into threads, and the CPU it ran on: where nothing happened that has a track of its own. */
  readonly thread: number;
  readonly cpu: number | undefined;
  readonly window: TimeWindow;
  /** What it is, for aria-live. */
  readonly spoken: string;
  /** Marks what is selected for it as the other screen's. */
  readonly own: <Event extends EventRef | EventHit>(event: Event) => Event;
}

interface TimelineOptions {
  /** Instead of all tracks of the trace, for a picture of some of them. */
  readonly chosen?: () => readonly TrackGroup[];
  /** Of `groups`, the tracks that tell of what is looked at. */
  readonly telling?: (groups: readonly TrackGroup[]) => readonly Track[];
  /** Where it is moved together with others. */
  readonly viewport?: Viewport;
}

/** In what table the events of a range are counted. */
export interface RangeView {
  by: 'name' | 'state' | 'thread' | 'process' | 'pivot';
  /** Id of one of pivotKinds. */
  pivot: string;
  measure: 'totalNs' | 'count' | 'maxNs';
}

/** The timeline of one trace: what is drawn, where the user is, and everything they can do there. */
export class TimelineState {
  readonly #data: () => TraceData;
  readonly selection: Selection;
  readonly viewport: Viewport;
  readonly tracks: TrackList;
  readonly #chosen: (() => readonly TrackGroup[]) | undefined;
  readonly groups: readonly TrackGroup[] = $derived.by(
    () => this.#chosen?.() ?? buildTrackGroups(this.#data()),
  );
  readonly overview: EventLane | undefined = $derived.by(() => overviewLane(this.#data()));
  readonly lost: readonly LostStretch[] = $derived.by(() => lostStretches(this.#data()));
  readonly selected: EventHit | undefined = $derived.by(() => this.#locate(this.selection.event));
  readonly links: SubmissionLinks | undefined = $derived.by(() =>
    submissionLinks(this.#data(), this.allTracks, this.selection.event),
  );
  /** How a range's events are told apart: kept from one range to the next. */
  readonly rangeView = $state<RangeView>({ by: 'name', pivot: 'thread-state', measure: 'totalNs' });
  #hover = $state.raw<EventHit | undefined>();
  #workedOut = $state.raw<EventHit | undefined>();
  /** What is said before the selected event, and what instead of it. */
  #rank = $state<string>('');
  #spoken = $state<string | undefined>();
  /** The event was selected by another screen, and the view is on its way there. */
  #isArriving = false;
  /** An event that came back with its view, which shows it or not: nothing is moved for it. */
  #placed: EventRef | undefined;
  /** A saved event whose table has not arrived. */
  #awaited: SavedEvent | undefined;

  constructor(
    data: () => TraceData,
    selection: Selection,
    { chosen, telling, viewport }: TimelineOptions = {},
  ) {
    this.#data = data;
    this.#chosen = chosen;
    this.selection = selection;
    this.viewport =
      viewport ?? new Viewport(data().summary.lengthNs, undefined, () => this.#keepSelection());
    this.tracks = new TrackList(
      () => this.groups,
      () => telling?.(this.groups) ?? [],
    );
  }

  get data(): TraceData {
    return this.#data();
  }

  get hover(): EventHit | undefined {
    return this.#hover;
  }

  /** The event pointed out last where that is no row of a table, such as running: it can't be selected. */
  get workedOut(): EventHit | undefined {
    return this.selection.event === undefined ? this.#workedOut : undefined;
  }

  /** The selection in words, for aria-live; `told`: of its row, where that is here. */
  announcement(told?: RowFacts): string {
    if (this.#spoken !== undefined) return this.#spoken;
    return this.selected === undefined
      ? ''
      : `${this.#rank}${spokenDetails(this.data, this.selected, told)}`;
  }

  #locate(ref: EventRef | undefined): EventHit | undefined {
    if (ref === undefined) return undefined;
    return locateEvent(this.data, this.allTracks, ref);
  }

  get allTracks(): readonly Track[] {
    return this.groups.flatMap((group) => group.tracks);
  }

  pointAt(hit: EventHit | undefined): void {
    this.#hover = hit;
  }

  /** Selects an event, or with nothing under the pointer takes the selection back. */
  select(hit: EventHit | undefined): void {
    this.#say('');
    if (hit !== undefined) this.tracks.focus(hit.track.id);
    else this.tracks.endLead();
    const ref = hit && refOf(hit);
    this.#workedOut = ref === undefined ? hit : undefined;
    this.selection.selectEvent(ref);
  }

  #say(rank: string, spoken?: string): void {
    this.#rank = rank;
    this.#spoken = spoken;
  }

  /** Goes where another screen points: the event there is selected, a track that is not shown pinned. */
  showMoment({ event, thread, cpu, window, spoken, own }: PointedMoment): void {
    const track = this.#locate(event)?.track ?? trackOfThread(this.allTracks, thread, cpu);
    const middleNs = (window.startNs + window.endNs) / 2;
    const hit =
      event === undefined && track !== undefined ? eventAround(track, middleNs) : undefined;
    const found = event ?? (hit && refOf(hit));
    if (found !== undefined) this.selection.selectEvent(own(found));
    else if (hit !== undefined) {
      this.#workedOut = own(hit);
      this.selection.selectEvent(undefined);
    }
    this.#say('', spoken);
    if (track !== undefined && !this.tracks.isShown(track.id)) this.tracks.pin(track);
    else if (track !== undefined) this.tracks.reveal(track);
    this.viewport.reveal(window.startNs, window.endNs);
  }

  /** Leads to an event that another screen selected; its track is pinned, where it isn't on top by itself. */
  leadTo(ref: EventRef): void {
    const track = this.#locate(ref)?.track;
    this.#say('');
    if (track === undefined) return;
    this.tracks.lead();
    if (this.tracks.isOnTop(track.id)) this.tracks.reveal(track);
    else this.tracks.pin(track);
  }

  /** Selects an event and brings it on screen; `place` is said before what it is. */
  goToEvent(ref: EventRef, place: string): void {
    this.selection.selectEvent(ref);
    this.#say(place);
    this.tracks.lead();
    this.revealSelected();
  }

  /** Brings the selected event on screen; called when the selection changed elsewhere. */
  revealSelected(): void {
    const hit = this.selected;
    if (hit === undefined || this.selection.event === this.#placed) return;
    const start = hit.lane.startNs[hit.index];
    this.tracks.reveal(hit.track);
    if (hit.lane !== hit.track.summary()) this.tracks.expand(hit.track.id);
    this.#isArriving = true;
    this.viewport.reveal(start, start + hit.lane.durationNs[hit.index]);
    this.#isArriving = false;
  }

  fitEvent(hit: EventHit | undefined): void {
    if (hit === undefined) return;
    const start = hit.lane.startNs[hit.index];
    this.viewport.fit(start, start + hit.lane.durationNs[hit.index]);
  }

  /** Fits the event another screen asked to be shown; one that came back with its view is where it was. */
  fitSelected(): void {
    if (this.selection.event === this.#placed) return;
    this.tracks.lead();
    this.fitEvent(this.selected);
  }

  /** F: the first press brings the selection on screen, the next fits it. */
  focusThenFit(): void {
    const hit = this.selected ?? this.workedOut;
    if (hit === undefined) {
      const { range } = this.selection;
      if (range !== undefined) this.viewport.fit(range.startNs, range.endNs);
      return;
    }
    const start = hit.lane.startNs[hit.index];
    const before = this.viewport.window;
    this.viewport.centreOn(start + hit.lane.durationNs[hit.index] / 2);
    // Near the trace's ends the view cannot move as far as the middle: then this is the second press.
    const movedNs = Math.abs(this.viewport.window.startNs - before.startNs);
    if (movedNs < (before.endNs - before.startNs) / 50) this.fitEvent(hit);
  }

  stepEvent(by: 1 | -1): void {
    const row = this.tracks.focused;
    if (row?.kind !== 'track') return;
    const onTrack = this.selected?.track.id === row.id ? this.selected : undefined;
    const { startNs, endNs } = this.viewport.window;
    const middle = (startNs + endNs) / 2;
    const fromNs = onTrack === undefined ? middle : onTrack.lane.startNs[onTrack.index];
    this.#goTo(neighbourOnTrack(row.track, shownLanes(row), fromNs, by));
  }

  /** From the selection where it is on screen, else from the edge of what is. */
  stepMatch(by: 1 | -1): void {
    const { startNs, endNs } = this.viewport.window;
    const selectedNs = this.selected?.lane.startNs[this.selected.index];
    const isShown = selectedNs !== undefined && selectedNs >= startNs && selectedNs <= endNs;
    const edgeNs = by === 1 ? startNs - 1 : endNs + 1;
    const fromNs = isShown ? selectedNs : edgeNs;
    this.#goTo(neighbourMatch(this.tracks.trackRows, this.tracks.filter, fromNs, by));
  }

  /** The next slower or faster call of the slowest thousand. */
  stepSlowCall(by: 1 | -1): void {
    const calls = slowCalls(this.data);
    if (calls.length === 0) return;
    const { event } = this.selection;
    const rank = event?.table === 'cuda_call' ? calls.indexOf(event.row) : -1;
    const next = rank < 0 ? 0 : (rank + by + calls.length) % calls.length;
    this.goToEvent(
      { table: 'cuda_call', row: calls[next] },
      `Slowest call number ${formatCount(next + 1)}: `,
    );
  }

  rangeFromSelection(): void {
    if (this.selected === undefined) return;
    const { lane, index } = this.selected;
    const startNs = lane.startNs[index];
    this.selection.selectRange({ startNs, endNs: startNs + lane.durationNs[index] });
  }

  /** A short name of a row for buttons and messages. */
  labelOf(row: Row): string {
    return row.kind === 'group' ? row.group.label : `${row.track.label} ${row.track.detail}`.trim();
  }

  #goTo(hit: EventHit | undefined): void {
    if (hit === undefined) return;
    // The view left behind keeps the event that was selected there.
    const start = hit.lane.startNs[hit.index];
    this.viewport.reveal(start, start + hit.lane.durationNs[hit.index]);
    this.select(hit);
  }

  /** What belongs to a view beside its window; brings it back when the user goes back there. */
  #keepSelection(): () => void {
    const { range, rangeTracks, latest } = this.selection;
    const event = this.#isArriving ? this.selection.eventBefore : this.selection.event;
    return () => {
      if (latest === 'event') this.selection.selectRange(range, rangeTracks);
      this.#place(event);
      if (latest !== 'event') this.selection.selectRange(range, rangeTracks);
    };
  }

  /** Selects an event and leaves the view as it is. */
  #place(event: EventRef | undefined): void {
    this.#say('');
    this.#workedOut = undefined;
    this.#placed = event;
    this.selection.selectEvent(event);
  }

  /** What is on the screen, to be saved with the investigation or in a link. */
  saved(): Pick<SavedView, 'window' | 'range' | 'rangeTracks' | 'event' | 'tracks'> {
    const { range, rangeTracks } = this.selection;
    const event = savedEventOf(this.data, this.selected) ?? this.#awaited;
    return {
      window: savedWindow(this.viewport.window),
      ...(range === undefined ? {} : { range: savedWindow(range) }),
      ...(rangeTracks.length === 0 ? {} : { rangeTracks: savedIds(rangeTracks) }),
      ...(event === undefined ? {} : { event }),
      tracks: this.tracks.saved(),
    };
  }

  /** Shows what was saved; its event as soon as its table is there. */
  restore({ window, range, rangeTracks, event, tracks }: Omit<SavedView, 'tab' | 'flame'>): void {
    if (tracks !== undefined) this.tracks.restore(tracks);
    if (window !== undefined) this.viewport.jumpTo(window);
    this.selection.selectRange(range, rangeTracks);
    this.#place(undefined);
    this.#awaited = event;
    this.tableArrived();
  }

  /** More columns are there: perhaps those of a saved event. */
  tableArrived(): void {
    const saved = this.#awaited;
    if (saved === undefined || !isLoaded(this.data, saved)) return;
    this.#awaited = undefined;
    const row = rowOfSaved(this.data, saved);
    // Somebody who selected another event meanwhile wants that one.
    if (row !== undefined && this.selection.event === undefined)
      this.#place({ table: saved.table, row });
  }
}
