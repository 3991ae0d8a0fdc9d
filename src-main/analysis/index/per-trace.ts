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
  const known = perTrace(() => new Map<number, { readonly value: Value }>());
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

interface PerTraceInPieces<Value> {
  /** The value: where it is not there yet, all pieces at once. */
  of(trace: Trace): Value;
  /** Works it out ahead, so that others can be answered between two pieces. */
  ahead(trace: Trace): Pieces<void>;
}

/** As perTrace, for what takes long. */
export function perTraceInPieces<Value>(
  make: (trace: Trace) => Pieces<Value>,
): PerTraceInPieces<Value> {
  const kept = perTrace((): { value?: Value } => ({}));
  const keep = (trace: Trace, value: Value): Value => {
    kept(trace).value ??= value;
    return value;
  };
  return {
    of: (trace) => kept(trace).value ?? keep(trace, atOnce(make(trace))),
    *ahead(trace) {
      if (kept(trace).value === undefined) keep(trace, yield* make(trace));
    },
  };
}
