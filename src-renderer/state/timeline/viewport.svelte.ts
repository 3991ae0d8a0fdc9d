import {
  clampWindow,
  fitWindow,
  panWindow,
  type TimeWindow,
  zoomWindow,
} from '../../../src-main/timeline/model/time-window.ts';
import { ViewHistory } from './view-history.ts';

/** Changes closer together than this are one step of the history: a wheel turned, a pinch. */
const SAME_GESTURE_MS = 600;

/** A view the user was at, with what else belonged to it. */
interface Place {
  readonly window: TimeWindow;
  readonly bringBack: () => void;
}

/** The stretch of time on screen and where it was before. */
export class Viewport {
  readonly lengthNs: number;
  #window = $state.raw<TimeWindow>({ startNs: 0, endNs: 0 });
  readonly #history = new ViewHistory<Place>();
  #changedAtMs = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;
  readonly #keep: () => () => void;

  /** `keep` notes what belongs to a view beside its window, and gives what brings that back. */
  constructor(
    lengthNs: number,
    now: () => number = () => performance.now(),
    keep: () => () => void = () => () => undefined,
  ) {
    this.lengthNs = lengthNs;
    this.#now = now;
    this.#keep = keep;
    this.#window = clampWindow({ startNs: 0, endNs: lengthNs }, lengthNs);
  }

  get window(): TimeWindow {
    return this.#window;
  }

  /** The view by which gestures zoom and move: this one, unless several are moved together. */
  get axis(): Viewport {
    return this;
  }

  /** One step of a gesture that goes on: a wheel, a drag, a key held down. */
  show(window: TimeWindow): void {
    const next = clampWindow(window, this.lengthNs);
    if (next.startNs === this.#window.startNs && next.endNs === this.#window.endNs) return;
    const now = this.#now();
    if (now - this.#changedAtMs > SAME_GESTURE_MS) this.#history.leave(this.#here());
    this.#changedAtMs = now;
    this.#window = next;
  }

  /** Another view at once: a step of the history of its own, however soon after the last. */
  jumpTo(window: TimeWindow): void {
    this.#changedAtMs = Number.NEGATIVE_INFINITY;
    this.show(window);
  }

  showAll(): void {
    this.jumpTo({ startNs: 0, endNs: this.lengthNs });
  }

  /** Zooms by `factor` around `anchorNs`, or around the middle. */
  zoom(factor: number, anchorNs = (this.window.startNs + this.window.endNs) / 2): void {
    this.show(zoomWindow(this.window, factor, anchorNs));
  }

  /** Moves by a share of what is on screen. */
  pan(share: number): void {
    this.show(panWindow(this.window, share * (this.window.endNs - this.window.startNs)));
  }

  fit(startNs: number, endNs: number): void {
    this.jumpTo(fitWindow(startNs, endNs));
  }

  /** Moves, without zooming, so that a moment is in the middle. */
  centreOn(ns: number): void {
    this.jumpTo(panWindow(this.window, ns - (this.window.startNs + this.window.endNs) / 2));
  }

  /** Moves only if [startNs, endNs) is not on screen at all. */
  reveal(startNs: number, endNs: number): void {
    const { startNs: from, endNs: to } = this.window;
    if (endNs < from || startNs > to) this.centreOn((startNs + endNs) / 2);
  }

  /** Back to the view before the last gesture. */
  back(): void {
    this.#goTo(this.#history.back(this.#here()));
  }

  /** Undoes the last `back`, until another gesture begins. */
  forward(): void {
    this.#goTo(this.#history.forward(this.#here()));
  }

  #here(): Place {
    return { window: this.#window, bringBack: this.#keep() };
  }

  #goTo(place: Place | undefined): void {
    if (place === undefined) return;
    this.#changedAtMs = Number.NEGATIVE_INFINITY;
    this.#window = place.window;
    place.bringBack();
  }
}

/**
 * One of several views that are zoomed and moved together: it shows what its axis shows, `offsetNs` later. So it may show
 * time before its trace began and after it ended.
 */
export class SharedViewport extends Viewport {
  readonly #axis: () => Viewport;
  readonly #offsetNs: () => number;

  constructor(lengthNs: number, axis: () => Viewport, offsetNs: () => number) {
    super(lengthNs);
    this.#axis = axis;
    this.#offsetNs = offsetNs;
  }

  override get axis(): Viewport {
    return this.#axis();
  }

  override get window(): TimeWindow {
    return panWindow(this.axis.window, this.#offsetNs());
  }

  override show(window: TimeWindow): void {
    this.axis.show(panWindow(window, -this.#offsetNs()));
  }

  override jumpTo(window: TimeWindow): void {
    this.axis.jumpTo(panWindow(window, -this.#offsetNs()));
  }

  override showAll(): void {
    this.axis.showAll();
  }

  override back(): void {
    this.axis.back();
  }

  override forward(): void {
    this.axis.forward();
  }
}
