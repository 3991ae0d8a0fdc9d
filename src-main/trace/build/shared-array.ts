import type { ColumnArray } from '../../shared/model/columns.ts';

type SharedConstructor<A> = { readonly BYTES_PER_ELEMENT: number } & (new (
  buffer: SharedArrayBuffer,
) => A);

/**
 * An array like `array` of `length` zeros that several threads can read at once.
 * Throws RangeError where memory does not suffice.
 */
export function sharedLike<A extends ColumnArray>(array: A, length: number): A {
  const Constructor = array.constructor as SharedConstructor<A>;
  return new Constructor(new SharedArrayBuffer(length * Constructor.BYTES_PER_ELEMENT));
}

/** `array` itself where threads can share it, else a copy that they can. */
export function shared<A extends ColumnArray>(array: A): A {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const copy = sharedLike(array, array.length);
  copy.set(array);
  return copy;
}
