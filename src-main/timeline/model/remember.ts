import type { Pieces } from '../../shared/numbers/pieces.ts';

/**
 * What is made once for an owner is kept with it: with a table's columns, so that another version of the data that shares
 * a table, as the one with its steps, shares what was made of it.
 */

const kept = new WeakMap<object, Map<string, unknown>>();

/** `make()`, or what it gave for this owner and key before. */
export function remember<Value>(owner: object, key: string, make: () => Value): Value {
  const values = kept.get(owner) ?? new Map<string, unknown>();
  kept.set(owner, values);
  if (!values.has(key)) values.set(key, make());
  return values.get(key) as Value;
}

/** As remember, in pieces: for what takes long where it is not there yet. */
export function* rememberInPieces<Value>(
  owner: object,
  key: string,
  make: () => Pieces<Value>,
): Pieces<Value> {
  const known = kept.get(owner);
  if (known?.has(key) === true) return known.get(key) as Value;
  const made = yield* make();
  // Somebody who did not wait may have it by now.
  return remember(owner, key, () => made);
}
