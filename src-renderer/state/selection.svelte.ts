import type { EventRef } from '../../src-main/timeline/locate-event.ts';
import type { TimeWindow } from '../../src-main/timeline/time-window.ts';

/** What the user points at: at most one event and at most one range, shared by every tab. */
export class Selection {
  #event = $state.raw<EventRef | undefined>();
  #eventBefore: EventRef | undefined;
  #range = $state.raw<TimeWindow | undefined>();
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

  selectEvent(event: EventRef | undefined): void {
    this.#eventBefore = this.#event;
    this.#event = event;
  }

  /** Counts the times another screen asked the timeline to show the event at its own size. */
  get timesShown(): number {
    return this.#timesShown;
  }

  showEvent(event: EventRef): void {
    this.selectEvent(event);
    this.#timesShown += 1;
  }

  selectRange(range: TimeWindow | undefined): void {
    this.#range = range;
  }
}
