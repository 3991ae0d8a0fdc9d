import { type ColumnArray, columnArray, storedType } from '../../shared/model/columns.ts';
import { type ColumnSpec, columnSpecs, tableNames } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { isNarrowest, narrowestType, newSpread, spreadBy } from './narrowest-type.ts';
import { sharedLike } from './shared-array.ts';

/**
 * `trace` with each column as narrow as its numbers allow, in memory that threads share. Columns are replaced one by one, so
 * that no more than one is there twice: use `trace` no further.
 */
export function narrowColumns(trace: Trace): Trace {
  for (const name of tableNames) {
    const columns = trace.tables[name].columns as unknown as Record<
      string,
      ColumnArray | undefined
    >;
    for (const [column, spec] of columnSpecs(name)) {
      const wide = columns[column];
      if (wide !== undefined) columns[column] = narrowed(spec, wide, trace.names.length);
    }
  }
  return trace;
}

/** The same numbers in fewer bytes; `array` itself where there are none fewer. `names`: how many the trace has. */
function narrowed(spec: ColumnSpec, array: ColumnArray, names: number): ColumnArray {
  if (isNarrowest(array) || spec.isMoment === true) return array;
  // What numbers of names there may be is known without a look at all of them.
  const type =
    spec.type === 'name'
      ? storedType('name', names)
      : narrowestType(spec, spreadBy(newSpread(), array));
  const like = columnArray(type, 0);
  if (like.BYTES_PER_ELEMENT >= array.BYTES_PER_ELEMENT) return array;
  const narrow = sharedLike(like, array.length);
  narrow.set(array);
  return narrow;
}
