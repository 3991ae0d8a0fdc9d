import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import type { TimeWindow } from '../../../src-main/timeline/model/time-window.ts';
import { clamp } from '../../lib/clamp.ts';

/** One of several places where the same happened: an event, or a stretch of a thread's time (an index, where it is known). */
export type Occurrence =
  | { readonly event: EventRef; readonly window?: undefined }
  | {
      readonly window: TimeWindow;
      readonly thread: number | undefined;
      /** The id of the finding that happened there. */
      readonly finding: string;
      readonly event?: undefined;
    };

interface Walked {
  /** What happened there, in a sentence. */
  readonly what: string;
  readonly places: readonly Occurrence[];
  /** How often it happened in all: not all of it may be listed. */
  readonly count: number;
}

/** The occurrences of a figure that somebody steps through, one after the other. */
export class Walk {
  #walked = $state.raw<Walked | undefined>();
  #index = $state(0);

  get walked(): Walked | undefined {
    return this.#walked;
  }

  get index(): number {
    return this.#index;
  }

  /** Begins at a place; the figure that is walked already goes on with the next one. */
  begin(walked: Walked, index?: number): Occurrence | undefined {
    const isSame = this.#walked?.places === walked.places;
    const next = isSame ? (this.#index + 1) % walked.places.length : 0;
    this.#walked = walked;
    return this.goTo(index ?? next);
  }

  goTo(index: number): Occurrence | undefined {
    const { places } = this.#walked ?? { places: [] };
    this.#index = clamp(index, 0, Math.max(0, places.length - 1));
    return places[this.#index];
  }

  close(): void {
    this.#walked = undefined;
    this.#index = 0;
  }
}
