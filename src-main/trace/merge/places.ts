import { NONE, type Reference } from '../../shared/model/schema.ts';

/** From the number by which a row of one trace names something to the one in the merged trace. */
export type Renumber = (number: number) => number;

/** How a trace's references of every kind are renumbered. */
export type Places = Readonly<Record<Reference, Renumber>>;

/** Of entities that stand one trace after the other. */
export const after =
  (base: number): Renumber =>
  (index) =>
    index === NONE ? NONE : base + index;

/** Of entities or rows with a list of their new numbers. */
export const listed =
  (places: ArrayLike<number>): Renumber =>
  (index) =>
    places[index] ?? NONE;

/** Of entities whose numbers are ids. */
export const mapped =
  (places: ReadonlyMap<number, number>): Renumber =>
  (id) =>
    places.get(id) ?? NONE;
