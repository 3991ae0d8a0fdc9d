import type { Api } from '../../../src-main/contract/api.ts';
import type { CallArguments, CallName, CallValue } from '../../../src-main/contract/contract.ts';
import type {
  BlockRequests,
  EventLine,
  PlacedEvent,
  SelectedEvent,
} from '../../../src-main/shared/answers/placed-event.ts';
import type { RangeFigures, RangeKey } from '../../../src-main/shared/answers/range-figures.ts';
import type { ToldTracks } from '../../../src-main/shared/answers/told-tracks.ts';
import type { SavedEvent } from '../../../src-main/shared/library/saved-event.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { TableName } from '../../../src-main/shared/model/schema.ts';
import { packNumbers } from '../../../src-main/shared/numbers/number-set.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import type { EventLane } from '../../../src-main/timeline/model/pyramid.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type {
  EventKinds,
  LaneView,
  LostStretch,
  TrackGroup,
} from '../../../src-main/timeline/model/track-model.ts';
import { unpackKinds, unpackTracks } from '../../../src-main/timeline/tiles/packed-tracks.ts';
import { SUMMARY } from '../../../src-main/timeline/tiles/tile-answers.ts';
import { remoteGroup } from './remote-tracks.ts';
import { TileStore } from './tile-store.svelte.ts';

/** Events that were looked at and are kept. */
const MOST_KEPT = 2_000;

const keyOf = ({ table, row }: EventRef) => `${table} ${row}`;

/** Answers about events, asked for as they are needed; each once. */
class Answers<Value> {
  #known = $state.raw<ReadonlyMap<string, Value>>(new Map());
  readonly #asked = new Map<string, Promise<Value | undefined>>();

  of(key: string): Value | undefined {
    return this.#known.get(key);
  }

  /** Asks, unless it is known or asked for already. */
  ask(key: string, ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked = ask().then((value) => {
      if (value === undefined) this.#asked.delete(key);
      else this.put([[key, value]]);
      return value;
    });
    this.#asked.set(key, asked);
    return asked;
  }

  put(entries: readonly (readonly [key: string, value: Value])[]): void {
    // Whoever reads would ask at once for what just could not be had.
    if (entries.length === 0) return;
    const all = [...this.#known, ...entries];
    const left = all.slice(0, -MOST_KEPT);
    for (const [key] of left) this.#asked.delete(key);
    for (const [key, value] of entries) this.#asked.set(key, Promise.resolve(value));
    this.#known = new Map(all.slice(-MOST_KEPT));
  }
}

/** What the screen asks of the timeline of an open trace. All that can't be had is undefined. */
export class TimelineSource {
  readonly #api: Api;
  readonly traceId: string;
  readonly tiles: TileStore;
  #told = $state.raw<ToldTracks | undefined>();
  #kinds = $state.raw<ReadonlyMap<number, Kinds> | undefined>();
  #askingKinds: Promise<void> | undefined;
  #failure = $state.raw<Failure | undefined>();
  readonly #selected = new Answers<SelectedEvent>();
  readonly #lines = new Answers<EventLine>();
  readonly #threads = new Answers<readonly number[]>();
  readonly #awaitedLines = new Map<string, EventRef>();

  /** All that was recorded, without what comes with a diagnosis; empty as long as it is not here. */
  readonly groups: readonly TrackGroup[] = $derived.by(() =>
    (this.#told?.groups ?? []).map((group) => remoteGroup(group, this)),
  );

  constructor(api: Api, traceId: string, lengthNs: number) {
    this.#api = api;
    this.traceId = traceId;
    this.tiles = new TileStore(api, traceId, lengthNs);
  }

  /** Asks which tracks there are. */
  async load(): Promise<void> {
    const told = await this.#api.call('trace.tracks', { traceId: this.traceId });
    this.#failure = told.ok ? undefined : told.error;
    if (told.ok) this.#told = unpackTracks(told.value);
  }

  /** Asks again for what could not be had: the connection is there again. */
  retry(): void {
    if (!this.isLoaded) void this.load();
    this.tiles.retry();
  }

  get isLoaded(): boolean {
    return this.#told !== undefined;
  }

  /** Whether what is on the screen is not all here yet. */
  get isBusy(): boolean {
    return this.failure === undefined && (!this.isLoaded || this.tiles.isBusy);
  }

  /** Why the tracks or what they hold did not come. */
  get failure(): Failure | undefined {
    return this.#failure ?? this.tiles.failure;
  }

  get lost(): readonly LostStretch[] {
    return this.#told?.lost ?? [];
  }

  /** Threads that made CUDA calls, the one with most of them first. */
  get callers(): readonly number[] {
    return this.#told?.callers ?? [];
  }

  get slowest(): ToldTracks['slowest'] {
    return this.#told?.slowest;
  }

  /** The lane of the minimap. */
  overview(view: LaneView): EventLane | undefined {
    const track = this.#told?.overview;
    return track === undefined ? undefined : this.tiles.lane(track, SUMMARY, view);
  }

  close(): void {
    this.tiles.close();
  }

  /** The kinds of events of a track; asked for when a filter first needs them. */
  kinds(track: number): EventKinds | undefined {
    const known = this.#kinds;
    if (known === undefined) void this.#askKinds();
    return known === undefined ? undefined : (known.get(track)?.longest ?? new Map());
  }

  /** What a kind of events is found by. */
  kindName(track: number, kind: number): string {
    return this.#kinds?.get(track)?.names.get(kind) ?? '';
  }

  /** Done once the kinds of events are known, or cannot be told. */
  async knowKinds(): Promise<void> {
    if (this.#kinds === undefined) await this.#askKinds();
  }

  #askKinds(): Promise<void> {
    this.#askingKinds ??= this.#learnKinds().finally(() => {
      this.#askingKinds = undefined;
    });
    return this.#askingKinds;
  }

  async #learnKinds(): Promise<void> {
    const told = await this.#api.call('trace.kinds', { traceId: this.traceId });
    if (told.ok)
      this.#kinds = new Map(
        unpackKinds(told.value).map(({ track, kinds }) => {
          const longest = new Map(kinds.map(([kind, , longestNs]) => [kind, longestNs]));
          return [track, { longest, names: new Map(kinds.map(([kind, name]) => [kind, name])) }];
        }),
      );
  }

  /** Where an event is, and what belongs to it, where that is known; it is asked for. */
  selectedOf(event: EventRef): SelectedEvent | undefined {
    void this.select(event);
    return this.#selected.of(keyOf(event));
  }

  select(event: EventRef): Promise<SelectedEvent | undefined> {
    const { table, row } = event;
    return this.#selected.ask(keyOf(event), () => this.#ask('trace.select', { table, row }));
  }

  /** An event as a list shows it, where that is known; it is asked for. */
  lineOf(event: EventRef): EventLine | undefined {
    const key = keyOf(event);
    const known = this.#lines.of(key);
    if (known !== undefined || this.#awaitedLines.has(key)) return known;
    if (this.#awaitedLines.size === 0) setTimeout(() => void this.#askLines());
    this.#awaitedLines.set(key, { table: event.table, row: event.row });
    return undefined;
  }

  async #askLines(): Promise<void> {
    const events = [...this.#awaitedLines].slice(0, MOST_KEPT);
    const lines = await this.#ask('trace.lines', { events: events.map(([, event]) => event) });
    for (const [key] of events) this.#awaitedLines.delete(key);
    this.#lines.put(events.flatMap(([key], at) => (lines?.[at] ? [[key, lines[at]]] : [])));
    if (this.#awaitedLines.size > 0) await this.#askLines();
  }

  /** The threads with events in a table, where they are known; they are asked for. */
  threadsOf(table: TableName): readonly number[] {
    void this.#threads.ask(table, () => this.#ask('trace.threadsOf', { table }));
    return this.#threads.of(table) ?? [];
  }

  async around(track: number, ns: number): Promise<PlacedEvent | undefined> {
    return (await this.#ask('trace.around', { track, ns: Math.max(0, ns) })) ?? undefined;
  }

  /** The row that a saved event is now; `null`: it is gone. */
  rowOf(saved: SavedEvent): Promise<number | null | undefined> {
    return this.#ask('trace.savedRow', { saved });
  }

  workOf(call: number, at: number): Promise<number | null | undefined> {
    return this.#ask('trace.workOf', { call, at });
  }

  neighbour(args: Omit<CallArguments<'trace.neighbour'>, 'traceId'>) {
    return this.#ask('trace.neighbour', args);
  }

  slowCall(from: number, by: 1 | -1) {
    return this.#ask('trace.slowCall', { from, by });
  }

  async blockRequests(
    call: number,
    { startNs, endNs }: TimeWindow,
  ): Promise<BlockRequests | undefined> {
    return (await this.#ask('trace.blockRequests', { call, startNs, endNs })) ?? undefined;
  }

  range(
    tracks: readonly number[],
    { startNs, endNs }: TimeWindow,
    keys: readonly [RangeKey] | readonly [RangeKey, RangeKey],
    unstored: boolean,
    signal: AbortSignal,
  ): Promise<RangeFigures | undefined> {
    const args = {
      tracks: packNumbers(tracks),
      startNs,
      endNs,
      unstored,
      keys: [...keys] as [RangeKey] | [RangeKey, RangeKey],
    };
    return this.#ask('trace.rangeFigures', args, signal);
  }

  async #ask<N extends CallName>(
    name: N,
    args: Omit<CallArguments<N>, 'traceId'>,
    signal?: AbortSignal,
  ): Promise<CallValue<N> | undefined> {
    const whole = { ...args, traceId: this.traceId } as CallArguments<N>;
    const told = await this.#api.call(name, whole, signal && { signal });
    return told.ok ? told.value : undefined;
  }
}

interface Kinds {
  readonly longest: EventKinds;
  readonly names: ReadonlyMap<number, string>;
}
