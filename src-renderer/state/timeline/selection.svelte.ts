import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';

/** What the user points at: at most one event and at most one range, shared by every tab. */
export class Selection {
  #event = $state.raw<EventRef | undefined>();
  #eventBefore: EventRef | undefined;
  #range = $state.raw<TimeWindow | undefined>();
  #rangeTracks = $state.raw<readonly string[]>([]);
  #latest = $state<'event' | 'range' | undefined>();
  #timesShown = $state(0);

  get event(): EventRef | undefined {
    return this.#event;
  }

  /** The event selected before this one. */
  get eventBefore(): EventRef | undefined {
    return this.#eventBefore;
  }

  get range(): TimeWindow | undefined {
    return this.#range;
  }

  /** Ids of the tracks over which the range was dragged; none where it is of time alone. */
  get rangeTracks(): readonly string[] {
    return this.#rangeTracks;
  }

  /** Which of both was selected last, of those that still are: what a note is put on. */
  get latest(): 'event' | 'range' | undefined {
    return this.#latest;
  }

  selectEvent(event: EventRef | undefined): void {
    this.#eventBefore = this.#event;
    this.#event = event;
    if (event !== undefined) this.#latest = 'event';
    else this.#latest = this.#range && 'range';
  }

  /** Counts the times another screen asked the timeline to show the event at its own size. */
  get timesShown(): number {
    return this.#timesShown;
  }

  showEvent(event: EventRef): void {
    this.selectEvent(event);
    this.#timesShown += 1;
  }

  selectRange(range: TimeWindow | undefined, tracks: readonly string[] = []): void {
    this.#range = range;
    this.#rangeTracks = range === undefined ? [] : tracks;
    if (range !== undefined) this.#latest = 'range';
    else this.#latest = this.#event && 'event';
  }
}
