import type { Trace } from '../../shared/model/trace.ts';

type Names = Pick<Trace, 'names' | 'nameSources'>;

/** The names of all traces, and for each trace where its own are now. Those of the first stay as they are. */
export function mergeNames(traces: readonly Names[]): Names & { places: Uint32Array[] } {
  const names: string[] = [];
  const nameSources: string[] = [];
  const known = new Map<string, number>();
  const places = traces.map((trace, at) =>
    Uint32Array.from(trace.names, (name, index) => {
      const source = trace.nameSources[index] ?? '';
      const key = `${source}\n${name}`;
      const same = known.get(key);
      if (at > 0 && same !== undefined) return same;
      const place = names.push(name) - 1;
      nameSources.push(source);
      if (same === undefined) known.set(key, place);
      return place;
    }),
  );
  return { names, nameSources, places };
}
