import type { PlacedEvent, SelectedEvent } from '../../../src-main/shared/answers/placed-event.ts';
import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import type { SavedEvent } from '../../../src-main/shared/library/saved-event.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import { packNumbers } from '../../../src-main/shared/numbers/number-set.ts';
import { formatCount } from '../../../src-main/shared/text/units.ts';
import { withJudged } from '../../../src-main/timeline/build/build-tracks.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import {
  isEventTrack,
  type LostStretch,
  type Track,
  type TrackGroup,
} from '../../../src-main/timeline/model/track-model.ts';
import { trackOfThread } from '../../../src-main/timeline/view/chain-tracks.ts';
import type { Row, TrackRow } from '../../../src-main/timeline/view/layout-tracks.ts';
import { type EventHit, eventAround, refOf } from '../../../src-main/timeline/view/locate-event.ts';
import { neighbour } from '../../../src-main/timeline/view/navigation.ts';
import type { SubmissionLinks } from '../../../src-main/timeline/view/submission-links.ts';
import { spokenDetails } from './event-details.ts';
import { hitOf, numberOf } from './remote-tracks.ts';
import { savedEventOf, savedWindow } from './saved-event.ts';
import type { Selection } from './selection.svelte.ts';
import type { TimelineSource } from './timeline-source.svelte.ts';
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
  /** What it asks; another one where tracks are grouped anew. */
  readonly source: () => TimelineSource;
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
  readonly #data: () => TraceView;
  readonly #source: () => TimelineSource;
  readonly selection: Selection;
  readonly viewport: Viewport;
  readonly tracks: TrackList;
  readonly #chosen: (() => readonly TrackGroup[]) | undefined;
  readonly groups: readonly TrackGroup[] = $derived.by(
    () => this.#chosen?.() ?? withJudged(this.source.groups, this.#data().steps),
  );
  readonly allTracks: readonly Track[] = $derived.by(() =>
    this.groups.flatMap((group) => group.tracks),
  );
  readonly #tracksById: ReadonlyMap<string, Track> = $derived.by(
    () => new Map(this.allTracks.map((track) => [track.id, track])),
  );
  /** What is known of the selected event; it is asked for. */
  readonly told: SelectedEvent | undefined = $derived.by(() => {
    const { event } = this.selection;
    return event && this.source.selectedOf(event);
  });
  readonly selected: EventHit | undefined = $derived.by(() => {
    const { told } = this;
    return told === undefined ? this.#picked : this.#hitOf(told.placed);
  });
  readonly links: SubmissionLinks | undefined = $derived.by(() => {
    const { links } = this.told?.submission ?? {};
    const call = this.#hitOf(links?.call);
    const works = (links?.works ?? []).map((work) => this.#hitOf(work));
    return call && { call, works: works.filter((hit) => hit !== undefined) };
  });
  /** How a range's events are told apart: kept from one range to the next. */
  readonly rangeView = $state<RangeView>({ by: 'name', pivot: 'thread-state', measure: 'totalNs' });
  #hover = $state.raw<EventHit | undefined>();
  #workedOut = $state.raw<EventHit | undefined>();
  /** The event selected here last, as long as that is selected: where it is told. */
  #pickedHere = $state.raw<{ readonly event: EventRef; readonly hit: EventHit } | undefined>();
  /** What is said before the selected event, and what instead of it. */
  #rank = $state<string>('');
  #spoken = $state<string | undefined>();
  /** Counts where other screens point: what was asked for one does not touch the next. */
  #pointed = 0;
  /** The selection that was brought on screen last: each is once. */
  #revealed: EventRef | undefined;
  /** The selection that is shown as wide as the view, not only brought into it. */
  #toFit: EventRef | undefined;
  /** The event was selected by another screen, and the view is on its way there. */
  #isArriving = false;
  /** An event that came back with its view, which shows it or not: nothing is moved for it. */
  #placed: EventRef | undefined;
  /** A saved event whose row is not known yet. */
  #awaited: SavedEvent | undefined;

  constructor(
    data: () => TraceView,
    selection: Selection,
    { source, chosen, telling, viewport }: TimelineOptions,
  ) {
    this.#data = data;
    this.#source = source;
    this.#chosen = chosen;
    this.selection = selection;
    this.viewport =
      viewport ?? new Viewport(data().summary.lengthNs, undefined, () => this.#keepSelection());
    this.tracks = new TrackList(
      () => this.groups,
      () => telling?.(this.groups) ?? [],
    );
  }

  get data(): TraceView {
    return this.#data();
  }

  get source(): TimelineSource {
    return this.#source();
  }

  get lost(): readonly LostStretch[] {
    return this.source.lost;
  }

  get #picked(): EventHit | undefined {
    const picked = this.#pickedHere;
    return picked !== undefined && picked.event === this.selection.event ? picked.hit : undefined;
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

  #hitOf(placed: PlacedEvent | null | undefined): EventHit | undefined {
    return placed ? hitOf(this.#tracksById.get(placed.trackId), placed) : undefined;
  }

  /** Where an event is drawn, once that is told. */
  async #locate(ref: EventRef): Promise<EventHit | undefined> {
    return this.#hitOf((await this.source.select(ref))?.placed);
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
    this.#pickedHere = ref && hit && { event: ref, hit };
    this.selection.selectEvent(ref);
  }

  #say(rank: string, spoken?: string): void {
    this.#rank = rank;
    this.#spoken = spoken;
  }

  /** Goes where another screen points: the event there is selected, a track that is not shown pinned. */
  async showMoment(moment: PointedMoment): Promise<void> {
    const { event, thread, cpu, window, spoken, own } = moment;
    const pointed = ++this.#pointed;
    this.viewport.reveal(window.startNs, window.endNs);
    if (event !== undefined) this.selection.selectEvent(own(event));
    this.#say('', spoken);
    const located = event && (await this.#locate(event));
    if (pointed !== this.#pointed) return;
    const track = located?.track ?? trackOfThread(this.allTracks, thread, cpu);
    if (event === undefined && track !== undefined) {
      const hit = await this.#around(track, (window.startNs + window.endNs) / 2);
      if (pointed !== this.#pointed) return;
      const found = hit && refOf(hit);
      this.#workedOut = hit === undefined || found !== undefined ? undefined : own(hit);
      if (hit !== undefined) this.selection.selectEvent(found && own(found));
      this.#say('', spoken);
    }
    if (track !== undefined && !this.tracks.isShown(track.id)) this.tracks.pin(track);
    else if (track !== undefined) this.tracks.reveal(track);
  }

  /** What a track shows at a moment. */
  async #around(track: Track, ns: number): Promise<EventHit | undefined> {
    const number = numberOf(track);
    return number === undefined
      ? eventAround(track, ns)
      : this.#hitOf(await this.source.around(number, ns));
  }

  /** Leads to an event that another screen selected; its track is pinned, where it isn't on top by itself. */
  async leadTo(ref: EventRef): Promise<void> {
    const pointed = ++this.#pointed;
    this.#say('');
    const track = (await this.#locate(ref))?.track;
    if (track === undefined || pointed !== this.#pointed) return;
    this.tracks.lead();
    if (this.tracks.isOnTop(track.id)) this.tracks.reveal(track);
    else this.tracks.pin(track);
  }

  /** Selects an event and brings it on screen; `place` is said before what it is. */
  goToEvent(ref: EventRef, place: string): void {
    this.selection.selectEvent(ref);
    this.#say(place);
    this.tracks.lead();
  }

  /** Brings the selected event on screen; called when it was told where that is. */
  revealSelected(): void {
    const hit = this.selected;
    const { event } = this.selection;
    if (hit === undefined || event === this.#placed || event === this.#revealed) return;
    this.#revealed = event;
    const start = hit.lane.times.startNs(hit.index);
    this.tracks.reveal(hit.track);
    // The one line of CUDA calls has the outermost only; that of other tracks has all events.
    const isNested = hit.track.table === 'cuda_call' && (hit.line ?? 0) > 0;
    if (isNested) this.tracks.expand(hit.track.id);
    const endNs = start + hit.lane.times.durationNs(hit.index);
    this.#isArriving = true;
    if (event === this.#toFit) this.viewport.fit(start, endNs);
    else this.viewport.reveal(start, endNs);
    this.#isArriving = false;
  }

  fitEvent(hit: EventHit | undefined): void {
    if (hit === undefined) return;
    const start = hit.lane.times.startNs(hit.index);
    this.viewport.fit(start, start + hit.lane.times.durationNs(hit.index));
  }

  /** Fits the event another screen asked to be shown; one that came back with its view is where it was. */
  async fitSelected(): Promise<void> {
    const { event } = this.selection;
    if (event === undefined || event === this.#placed) return;
    this.tracks.lead();
    const hit = await this.#locate(event);
    if (event === this.selection.event) this.fitEvent(hit);
  }

  /** F: the first press brings the selection on screen, the next fits it. */
  focusThenFit(): void {
    const hit = this.selected ?? this.workedOut;
    if (hit === undefined) {
      const { range } = this.selection;
      if (range !== undefined) this.viewport.fit(range.startNs, range.endNs);
      return;
    }
    const start = hit.lane.times.startNs(hit.index);
    const before = this.viewport.window;
    this.viewport.centreOn(start + hit.lane.times.durationNs(hit.index) / 2);
    // Near the trace's ends the view cannot move as far as the middle: then this is the second press.
    const movedNs = Math.abs(this.viewport.window.startNs - before.startNs);
    if (movedNs < (before.endNs - before.startNs) / 50) this.fitEvent(hit);
  }

  /** The last thing that was asked for to go somewhere, and how many are on their way. */
  #going: Promise<void> = Promise.resolve();
  #underWay = 0;

  /** Done once all that was asked for is selected, and it is known where that is. */
  async settled(): Promise<void> {
    await this.#going;
    const { event } = this.selection;
    if (event !== undefined) await this.source.select(event);
  }

  /** Does something at once; or where something is on its way, when that is there: keys count in their order. */
  inTurn(act: () => unknown): void {
    const isTold = this.selection.event === undefined || this.told !== undefined;
    if (this.#underWay > 0 || !isTold)
      void this.#goOn(async () => {
        const { event } = this.selection;
        if (event !== undefined) await this.source.select(event);
        await act();
      });
    else {
      const done = act();
      if (done instanceof Promise) void this.#goOn(() => done);
    }
  }

  /** One after the other: a key that is held goes on from where the last one led. */
  #goOn(go: () => Promise<void>): Promise<void> {
    this.#underWay++;
    const going = this.#going.then(go).finally(() => {
      this.#underWay--;
    });
    // What fails is a bug, and said to be one; the next key works all the same.
    this.#going = going.catch(() => undefined);
    return going;
  }

  async stepEvent(by: 1 | -1): Promise<void> {
    const row = this.tracks.focused;
    if (row?.kind !== 'track') return;
    const onTrack = this.selected?.track.id === row.id ? this.selected : undefined;
    const { startNs, endNs } = this.viewport.window;
    const middle = (startNs + endNs) / 2;
    const fromNs = onTrack === undefined ? middle : onTrack.lane.times.startNs(onTrack.index);
    const { event } = this.selection;
    const hit = await this.#neighbour([row], undefined, fromNs, by);
    if (this.selection.event === event) this.#goTo(hit);
  }

  /** From the selection where it is on screen, else from the edge of what is. */
  async stepMatch(by: 1 | -1): Promise<void> {
    const { startNs, endNs } = this.viewport.window;
    const selectedNs = this.selected?.lane.times.startNs(this.selected.index);
    const isShown = selectedNs !== undefined && selectedNs >= startNs && selectedNs <= endNs;
    const edgeNs = by === 1 ? startNs - 1 : endNs + 1;
    const fromNs = isShown ? selectedNs : edgeNs;
    const { trackRows, filterText } = this.tracks;
    const { event } = this.selection;
    const hit = await this.#neighbour(trackRows, filterText, fromNs, by);
    if (this.selection.event === event) this.#goTo(hit);
  }

  /** The event that starts next on rows: of tracks that the page has whole, and of those that it asks about. */
  async #neighbour(
    rows: readonly TrackRow[],
    filter: string | undefined,
    fromNs: number,
    by: 1 | -1,
  ): Promise<EventHit | undefined> {
    const { filter: parsed } = this.tracks;
    const shown = rows.flatMap(({ track, expanded }) =>
      isEventTrack(track) ? [{ track, expanded, number: numberOf(track) }] : [],
    );
    const own = shown.filter(({ number }) => number === undefined);
    const here = neighbour(own, filter === undefined ? undefined : parsed, fromNs, by);
    const asked = shown.filter(({ number }) => number !== undefined);
    if (asked.length === 0) return here;
    const numbers = (rows: typeof asked) => packNumbers(rows.map(({ number }) => number ?? -1));
    const args = {
      tracks: numbers(asked),
      expanded: numbers(asked.filter(({ expanded }) => expanded)),
      ...{ fromNs, by, ...(filter !== undefined && { filter }) },
    };
    const there = this.#hitOf(await this.source.neighbour(args));
    if (here === undefined || there === undefined) return here ?? there;
    const isNearer =
      by * here.lane.times.startNs(here.index) < by * there.lane.times.startNs(there.index);
    return isNearer ? here : there;
  }

  /** The next slower or faster call of the slowest thousand, as the picture of the Overview shows one: fitted, with what tells of it. */
  async stepSlowCall(by: 1 | -1): Promise<void> {
    const { event } = this.selection;
    const from = event?.table === 'cuda_call' ? event.row : -1;
    const next = await this.source.slowCall(from, by);
    // Somebody who selected another event meanwhile wants that one.
    if (!next || this.selection.event !== event) return;
    const call = { table: 'cuda_call', row: next.row } as const;
    this.#toFit = call;
    this.goToEvent(call, `Slowest call number ${formatCount(next.rank + 1)}: `);
    // The key that comes next moves the view that this one led to.
    await this.source.select(call);
    if (this.selection.event === call) this.revealSelected();
  }

  rangeFromSelection(): void {
    if (this.selected === undefined) return;
    const { lane, index } = this.selected;
    const startNs = lane.times.startNs(index);
    this.selection.selectRange({ startNs, endNs: startNs + lane.times.durationNs(index) });
  }

  /** A short name of a row for buttons and messages. */
  labelOf(row: Row): string {
    return row.kind === 'group' ? row.group.label : `${row.track.label} ${row.track.detail}`.trim();
  }

  #goTo(hit: EventHit | undefined): void {
    if (hit === undefined) return;
    // The view left behind keeps the event that was selected there.
    const start = hit.lane.times.startNs(hit.index);
    this.viewport.reveal(start, start + hit.lane.times.durationNs(hit.index));
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
    const event = savedEventOf(this.told) ?? this.#awaited;
    return {
      window: savedWindow(this.viewport.window),
      ...(range === undefined ? {} : { range: savedWindow(range) }),
      ...(rangeTracks.length === 0 ? {} : { rangeTracks: savedIds(rangeTracks) }),
      ...(event === undefined ? {} : { event }),
      tracks: this.tracks.saved(),
    };
  }

  /** Shows what was saved; its event as soon as it is known which row that is. */
  restore({ window, range, rangeTracks, event, tracks }: Omit<SavedView, 'tab' | 'flame'>): void {
    if (tracks !== undefined) this.tracks.restore(tracks);
    if (window !== undefined) this.viewport.jumpTo(window);
    this.selection.selectRange(range, rangeTracks);
    this.#place(undefined);
    this.#awaited = event;
    if (event !== undefined) void this.#goOn(() => this.#restoreEvent(event));
  }

  async #restoreEvent(saved: SavedEvent): Promise<void> {
    const row = await this.source.rowOf(saved);
    if (this.#awaited !== saved || row === undefined) return;
    const event = row === null ? undefined : { table: saved.table, row };
    // Told before it is selected: a view that is saved meanwhile has one or the other.
    if (event !== undefined) await this.source.select(event);
    if (this.#awaited !== saved) return;
    this.#awaited = undefined;
    // Somebody who selected another event meanwhile wants that one.
    if (event !== undefined && this.selection.event === undefined) this.#place(event);
  }
}
