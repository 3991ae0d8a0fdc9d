import { atOnce, type Pieces } from './numbers/pieces.ts';

/**
 * `make()`, kept until memory is collected, and made again when it is asked for after that: for what takes much memory and
 * little time. Within one piece of work it is the same object.
 */
export function untilCollected<Value extends object>(make: () => Value): () => Value {
  let kept: WeakRef<Value> | undefined;
  return () => {
    const known = kept?.deref();
    if (known !== undefined) return known;
    const made = make();
    kept = new WeakRef(made);
    return made;
  };
}

/** What is made ahead in pieces, and let go of once it was used. */
export interface CollectedAfterUse<Value> {
  prepare(): Pieces<void>;
  value(): Value;
}

/** `make()` before or at its first use; after that it is as with untilCollected. */
export function collectedAfterUse<Value extends object>(
  make: () => Pieces<Value>,
): CollectedAfterUse<Value> {
  let prepared: Value | undefined;
  let wasUsed = false;
  const used = untilCollected(() => prepared ?? atOnce(make()));
  return {
    *prepare() {
      if (!wasUsed) prepared ??= yield* make();
    },
    value() {
      const value = used();
      prepared = undefined;
      wasUsed = true;
      return value;
    },
  };
}
