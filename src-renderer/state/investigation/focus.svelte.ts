import type { Api } from '../../../src-main/contract/api.ts';
import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import type { TrackGroup } from '../../../src-main/timeline/model/track-model.ts';
import type { Selection } from '../timeline/selection.svelte.ts';
import { TimelineState } from '../timeline/timeline.svelte.ts';
import type { TimelineSource } from '../timeline/timeline-source.svelte.ts';
import { ChainState } from './chain.svelte.ts';
import { type FocusStretch, worstStretch } from './focus-stretch.ts';
import { focusTracks } from './focus-tracks.ts';

interface Screen {
  readonly data: TraceView | undefined;
  readonly timeline: TimelineState | undefined;
  readonly diagnosis: { readonly value: Diagnosis | undefined };
  readonly selection: Selection;
  readonly asking: { leave(): void };
}

const FOCUS_GROUP = 'focus';
/** What is unfolded beneath the picture ends here: more are for the timeline. */
const MOST_ROWS = 80;

/** The picture of the Overview: the few tracks that tell of one stretch of time, and what was waited for in it. */
export class FocusState {
  readonly #screen: Screen;
  /** Of the stretch; that of the panel is another. */
  readonly chain: ChainState;
  #timeline = $state.raw<TimelineState | undefined>();
  #picked = $state.raw<FocusStretch | undefined>();
  #isUnfolded = $state(false);

  /** What is looked at: what was picked, else the costliest time that the main cause happened. */
  readonly stretch: FocusStretch | undefined = $derived.by(() => {
    const { data, diagnosis } = this.#screen;
    if (this.#picked !== undefined) return this.#picked;
    return diagnosis.value && data && worstStretch(diagnosis.value, data.summary.lengthNs);
  });

  readonly #groups: readonly TrackGroup[] = $derived.by(() => {
    const { timeline } = this.#screen;
    const { stretch } = this;
    if (timeline === undefined || stretch === undefined) return [];
    const telling = focusTracks(timeline.groups, stretch.thread, this.chain.value, this.isAwaited);
    if (telling.length === 0) return [];
    const tracks = this.#isUnfolded
      ? [...new Set([...telling, ...timeline.allTracks])].slice(0, MOST_ROWS)
      : telling;
    return [{ id: FOCUS_GROUP, label: stretch.title, detail: '', tracks }];
  });

  constructor(api: Api, screen: Screen) {
    this.#screen = screen;
    this.chain = new ChainState(api, () => undefined);
  }

  get timeline(): TimelineState | undefined {
    return this.#timeline;
  }

  /** Whether what was waited for in it is not known yet. */
  get isAwaited(): boolean {
    const { asked } = this.chain;
    const isAnswered = asked?.value !== undefined || asked?.failure !== undefined;
    return this.stretch?.isWait === true && !isAnswered;
  }

  /** What somebody picked: else it is what is shown at first. */
  get picked(): FocusStretch | undefined {
    return this.#picked;
  }

  /** Whether all tracks stand beneath those that tell of the stretch. */
  get isUnfolded(): boolean {
    return this.#isUnfolded;
  }

  unfold(isWanted: boolean): void {
    this.#isUnfolded = isWanted;
  }

  /** A trace was opened: the picture is of that. */
  open(data: () => TraceView, source: () => TimelineSource): void {
    this.#timeline = new TimelineState(data, this.#screen.selection, {
      source,
      chosen: () => this.#groups,
    });
  }

  /** Explains another stretch of a rank: a step. */
  explain(rank: number, { startNs, endNs }: TimeWindow, title: string): void {
    const thread = this.#screen.diagnosis.value?.ranks[rank]?.rank.mainThread ?? -1;
    this.#picked = { title, rank, thread, startNs, endNs, isWait: thread >= 0 };
    this.#screen.asking.leave();
    this.#screen.selection.selectEvent(undefined);
  }

  /** Shows another rank, at its worst. */
  explainRank(rank: number): void {
    const { data, diagnosis } = this.#screen;
    if (data === undefined || diagnosis.value === undefined) return;
    this.#picked = worstStretch(diagnosis.value, data.summary.lengthNs, rank);
    this.#screen.asking.leave();
    this.#screen.selection.selectEvent(undefined);
  }

  /** Shows a stretch as it was picked before, or what is shown at first. */
  show(stretch: FocusStretch | undefined): void {
    this.#picked = stretch;
  }

  /** Brings the stretch on screen, and asks what was waited for in it. */
  look(traceId: string): void {
    const { stretch } = this;
    if (stretch === undefined) return;
    this.#timeline?.viewport.fit(stretch.startNs, stretch.endNs);
    if (stretch.isWait) void this.chain.ask(traceId, stretch);
    else this.chain.close();
  }

  clear(): void {
    this.#picked = undefined;
    this.#isUnfolded = false;
    this.#timeline = undefined;
    this.chain.close();
  }
}
