import type { Api } from '../../../src-main/contract/api.ts';
import type { OpenedTrace } from '../../../src-main/shared/contract/trace-calls.ts';
import type { SavedView } from '../../../src-main/shared/library/view.ts';
import { firstTab, type Tab } from '../../../src-main/shared/tabs/tabs.ts';
import { noSavedTracks } from '../../../src-main/timeline/view/track-view.ts';
import type { Toasts } from '../common/toasts.svelte.ts';
import { fitView, isFirstView } from '../timeline/fit-view.ts';
import type { TimelineState } from '../timeline/timeline.svelte.ts';

type SavedFlame = NonNullable<SavedView['flame']>;

/** A part of the screen that a view keeps. */
export interface FlamePart {
  saved(): SavedFlame | undefined;
  /** `undefined` = as it is at first. */
  restore(saved: SavedFlame | undefined): void;
}

/** What stands beside a trace, and is kept with its view. */
interface BesidePart {
  readonly file: SavedView['traceml'];
  restore(file: SavedView['traceml']): void;
}

/** What a view is made of. */
interface Screen {
  readonly opened: OpenedTrace | undefined;
  readonly timeline: TimelineState | undefined;
  readonly flame?: FlamePart | undefined;
  readonly secondOpinion?: BesidePart | undefined;
  readonly tab: Tab;
  showTab(tab: Tab): void;
}

/** Changes closer together than this are saved at once: a pan, a zoom. */
const SETTLE_MS = 700;

/** What is on the screen of an investigation: kept for the next opening, brought back, sent as a link. */
export class ViewState {
  readonly #api: Api;
  readonly #screen: Screen;
  readonly #toasts: Toasts;
  /** What the library keeps, as JSON. */
  #kept = '';
  #hasFailed = false;

  /** The view on the screen; what says nothing is left out. */
  readonly current: SavedView | undefined = $derived.by(() => {
    const { opened, timeline, flame, tab } = this.#screen;
    if (opened === undefined || timeline === undefined) return undefined;
    const savedFlame = flame?.saved();
    const view = {
      tab,
      ...timeline.saved(),
      ...(savedFlame !== undefined && { flame: savedFlame }),
    };
    return fitView(view, opened.summary.lengthNs);
  });

  /** The same with what stands beside the trace: what the library is to keep. */
  readonly #toKeep: SavedView | undefined = $derived.by(() => {
    const traceml = this.#screen.secondOpinion?.file;
    return this.current && traceml ? { ...this.current, traceml } : this.current;
  });

  constructor(api: Api, screen: Screen, toasts: Toasts) {
    this.#api = api;
    this.#screen = screen;
    this.#toasts = toasts;
  }

  /** Brings back how a trace was left, or shows the view of a link, with a way to the other one. */
  begin(linked?: SavedView): void {
    const { view: kept } = this.#screen.opened ?? {};
    this.#hasFailed = false;
    this.#kept = JSON.stringify(kept ?? null);
    const { traceml, ...left } = kept ?? { tab: firstTab };
    this.#screen.secondOpinion?.restore(traceml);
    if (linked !== undefined) this.#show(linked, left);
    else if (kept !== undefined) this.restore(left);
  }

  /** Shows the view of a link to the trace that is on the screen already. */
  follow(linked: SavedView): void {
    this.#show(linked, this.current);
  }

  #show(linked: SavedView, before: SavedView | undefined): void {
    this.restore(linked);
    if (before === undefined || isFirstView(before)) return;
    if (JSON.stringify(before) === JSON.stringify(this.current)) return;
    this.#toasts.show('This is the shared view.', {
      label: 'Back to mine',
      run: this.#ifStillOpen(() => this.restore(before)),
    });
  }

  /** A toast's button may be pressed when another trace is on the screen. */
  #ifStillOpen(act: () => void): () => void {
    const id = this.#screen.opened?.investigation.id;
    return () => {
      if (this.#screen.opened?.investigation.id === id) act();
    };
  }

  /** Shows a view as far as the trace has what is in it. */
  restore(view: SavedView): void {
    this.recall({ ...view, tracks: view.tracks ?? noSavedTracks });
    if (view.flame === undefined) this.#screen.flame?.restore(undefined);
  }

  /** Shows a view in which tracks, or the flame graph, may be missing: those stay as they are. */
  recall(view: SavedView): void {
    const { opened, timeline, flame } = this.#screen;
    if (opened === undefined || timeline === undefined) return;
    const { lengthNs } = opened.summary;
    const { window, range, rangeTracks, event } = fitView(view, lengthNs);
    timeline.restore({
      window: window ?? { startNs: 0, endNs: lengthNs },
      ...(view.tracks !== undefined && { tracks: view.tracks }),
      range,
      rangeTracks,
      event,
    });
    if (view.flame !== undefined) flame?.restore(view.flame);
    this.#screen.showTab(view.tab);
  }

  /** Forgets where the user was: the whole trace, nothing selected, all tracks as they come. */
  startFresh(): void {
    const before = this.current;
    if (before === undefined) return;
    this.restore({ tab: before.tab });
    this.#toasts.show('Fresh view: the whole trace, nothing selected, all tracks.', {
      label: 'Undo',
      run: this.#ifStillOpen(() => this.restore(before)),
    });
  }

  /** Saves the view once it rests; for an effect, which it makes depend on the view. */
  keep(): () => void {
    if (this.#toKeep === undefined) return () => undefined;
    const timer = setTimeout(() => this.save(), SETTLE_MS);
    return () => clearTimeout(timer);
  }

  /** Saves the view now, where it is not what the library has already. */
  save(): void {
    const toKeep = this.#toKeep;
    const id = this.#screen.opened?.investigation.id;
    if (toKeep === undefined || id === undefined) return;
    const view = isFirstView(toKeep) ? null : toKeep;
    const text = JSON.stringify(view);
    if (text === this.#kept) return;
    this.#kept = text;
    void this.#send(id, view);
  }

  async #send(id: number, view: SavedView | null): Promise<void> {
    const saved = await this.#api.call('library.saveView', { id, view });
    if (saved.ok) return;
    this.#kept = '';
    // Without a connection there is a banner, and a trace that was removed needs no view.
    const isKnown = saved.error.code === 'disconnected' || saved.error.code === 'not-found';
    if (isKnown || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#toasts.show(`The view is not kept for the next time: ${saved.error.message}`);
  }
}
