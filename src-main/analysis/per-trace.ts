import type { Trace } from '../shared/model/trace.ts';

/** Works `make` out once per trace; traces that share their tables share it, so it must not read roles. */
export function perTrace<Value>(make: (trace: Trace) => Value): (trace: Trace) => Value {
  const known = new WeakMap<Trace['tables'], { readonly value: Value }>();
  return (trace) => {
    let entry = known.get(trace.tables);
    if (entry === undefined) {
      entry = { value: make(trace) };
      known.set(trace.tables, entry);
    }
    return entry.value;
  };
}

/** Works `make` out once per trace and number: a thread, a CPU, a row. It must not read roles. */
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
