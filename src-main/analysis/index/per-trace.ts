import type { Trace } from '../../shared/model/trace.ts';
import { atOnce, type Pieces } from '../../shared/numbers/pieces.ts';

/** Works `make` out once for each object that `keyOf` names, and keeps it as long as that lives. */
export function onceFor<Subject, Value>(
  keyOf: (subject: Subject) => object,
  make: (subject: Subject) => Value,
): (subject: Subject) => Value {
  const known = new WeakMap<object, { readonly value: Value }>();
  return (subject) => {
    const key = keyOf(subject);
    let entry = known.get(key);
    if (entry === undefined) {
      entry = { value: make(subject) };
      known.set(key, entry);
    }
    return entry.value;
  };
}

/** Works `make` out once per trace; traces that share their tables share it, so it must not read roles. */
export function perTrace<Value>(make: (trace: Trace) => Value): (trace: Trace) => Value {
  return onceFor(({ tables }) => tables, make);
}

/** As perTrace, for what reads roles or the jobs found by them: with another role it is worked out anew. */
export function perRoles<Value>(make: (trace: Trace) => Value): (trace: Trace) => Value {
  return onceFor((trace) => trace, make);
}

/** Works `make` out once for the stacks of a trace, for what reads nothing else of it. */
export function perStacks<Value>(
  make: (stacks: Trace['stacks']) => Value,
): (trace: Pick<Trace, 'stacks'>) => Value {
  return onceFor(
    ({ stacks }) => stacks,
    ({ stacks }) => make(stacks),
  );
}

/** Works `make` out once per trace and number: a thread, a process, a system call. It must not read roles. */
export function perNumber<Value>(
  make: (trace: Trace, number: number) => Value,
): (trace: Trace, number: number) => Value {
  const known = valuesByNumber<Value>();
  return (trace, number) => {
    const values = known(trace);
    let entry = values.get(number);
    if (entry === undefined) {
      entry = { value: make(trace, number) };
      values.set(number, entry);
    }
    return entry.value;
  };
}

const valuesByNumber = <Value>() => perTrace(() => new Map<number, { readonly value: Value }>());

interface PerNumberInPieces<Value> {
  /** The value: where it is not there yet, all pieces at once. */
  of(trace: Trace, number: number): Value;
  /** Works it out ahead, so that others can be answered between two pieces. */
  ahead(trace: Trace, number: number): Pieces<void>;
}

/** As perNumber, for what takes long. */
export function perNumberInPieces<Value>(
  make: (trace: Trace, number: number) => Pieces<Value>,
): PerNumberInPieces<Value> {
  const known = valuesByNumber<Value>();
  function keep(trace: Trace, number: number, value: Value): Value {
    known(trace).set(number, { value });
    return value;
  }
  return {
    of(trace, number) {
      const entry = known(trace).get(number);
      return entry === undefined ? keep(trace, number, atOnce(make(trace, number))) : entry.value;
    },
    *ahead(trace, number) {
      const isKnown = () => known(trace).has(number);
      if (isKnown()) return;
      const value = yield* make(trace, number);
      // Somebody may have needed it at once meanwhile, and holds that.
      if (!isKnown()) keep(trace, number, value);
    },
  };
}
