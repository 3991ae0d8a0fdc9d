import type { Trace } from '../../shared/model/trace.ts';
import { NameBuilder } from '../build/names.ts';

type Names = Pick<Trace, 'names' | 'nameSources'>;

/** The names of all traces, each once, and for each trace where its own are now. */
export function mergeNames(traces: readonly Names[]): Names & { places: Uint32Array[] } {
  const builder = new NameBuilder();
  const places = traces.map(({ names, nameSources }) =>
    Uint32Array.from(names, (name, at) => builder.add(name, nameSources[at])),
  );
  return { names: builder.texts, nameSources: builder.sources, places };
}
