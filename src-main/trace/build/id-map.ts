import { NONE } from '../../shared/model/schema.ts';

/** The dense part may be this many times longer than the ids are many. */
const DENSE_FACTOR = 4;
const DENSE_SLACK = 4096;

/**
 * From the ids that a source gives its things to positions in the model. Ids are integers ≥ 0, of
 * which most sources count from a small one on: those stand in an array, others in a hash table.
 */
export class IdMap {
  #count = 0;
  #dense = new Int32Array(0);
  readonly #sparse = new Map<number, number>();

  /** Maps `ids[position]` to `position`; a negative id is nobody's. The last of several wins. */
  static of(ids: ArrayLike<number>): IdMap {
    const map = new IdMap();
    let highest = NONE;
    for (let position = 0; position < ids.length; position++)
      highest = Math.max(highest, ids[position]);
    if (isDense(highest, ids.length)) map.#growTo(highest + 1);
    for (let position = 0; position < ids.length; position++)
      if (ids[position] >= 0) map.set(ids[position], position);
    return map;
  }

  /** The position of `id`, `NONE` where nobody has it. */
  positionOf(id: number): number {
    if (id >= 0 && id < this.#dense.length) return this.#dense[id];
    return this.#sparse.get(id) ?? NONE;
  }

  /** An id that was there before leads to the new position alone. */
  set(id: number, position: number): void {
    this.#count++;
    if (id >= this.#dense.length && isDense(id, this.#count))
      this.#growTo(Math.max(id + 1, 2 * this.#dense.length));
    if (id < this.#dense.length) this.#dense[id] = position;
    else this.#sparse.set(id, position);
  }

  #growTo(length: number): void {
    const dense = new Int32Array(length).fill(NONE);
    dense.set(this.#dense);
    this.#dense = dense;
    for (const [id, position] of this.#sparse) {
      if (id >= length) continue;
      dense[id] = position;
      this.#sparse.delete(id);
    }
  }
}

function isDense(highest: number, count: number): boolean {
  return highest < count * DENSE_FACTOR + DENSE_SLACK;
}
