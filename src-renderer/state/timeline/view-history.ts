/** Places further back are forgotten. */
const LENGTH = 100;

/** Where the user was, and, after going back, where they were then. */
export class ViewHistory<Place> {
  #past: readonly Place[] = [];
  #future: readonly Place[] = [];

  /** Notes a place that is being left for a new one: from here there is no way forward. */
  leave(place: Place): void {
    this.#past = [...this.#past.slice(1 - LENGTH), place];
    this.#future = [];
  }

  /** The place before `here`, which becomes the next one. */
  back(here: Place): Place | undefined {
    const place = this.#past.at(-1);
    if (place === undefined) return undefined;
    this.#past = this.#past.slice(0, -1);
    this.#future = [...this.#future, here];
    return place;
  }

  forward(here: Place): Place | undefined {
    const place = this.#future.at(-1);
    if (place === undefined) return undefined;
    this.#future = this.#future.slice(0, -1);
    this.#past = [...this.#past, here];
    return place;
  }
}
