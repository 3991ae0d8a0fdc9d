import { NONE } from '../../../shared/model/schema.ts';

/** Dense maps may be this many times longer than the ids are many. */
const DENSE_FACTOR = 4;
const DENSE_SLACK = 4096;

/** From ids a writer chose to positions in the model. */
export interface IdMap {
  /** The position of `id`, `NONE` where nobody has it. */
  positionOf(id: number): number;
}

function denseMap(ids: ArrayLike<number>, highest: number): IdMap {
  const positions = new Int32Array(highest + 1).fill(NONE);
  for (let position = 0; position < ids.length; position++) {
    const id = ids[position] as number;
    if (id >= 0) positions[id] = position;
  }
  return { positionOf: (id) => (id >= 0 && id <= highest ? (positions[id] as number) : NONE) };
}

/** Maps `ids[position]` to `position`; a negative id is nobody's. The last of several wins. */
export function createIdMap(ids: ArrayLike<number>): IdMap {
  let highest = -1;
  for (let position = 0; position < ids.length; position++)
    highest = Math.max(highest, ids[position] as number);
  if (highest < ids.length * DENSE_FACTOR + DENSE_SLACK) return denseMap(ids, highest);
  const positions = new Map<number, number>();
  for (let position = 0; position < ids.length; position++) {
    const id = ids[position] as number;
    if (id >= 0) positions.set(id, position);
  }
  return { positionOf: (id) => positions.get(id) ?? NONE };
}
