import { columnsOf } from '../../shared/model/columns-of.ts';
import { renumberEntity } from '../../shared/model/entity-references.ts';
import { columnSpecs, NONE, tableNames } from '../../shared/model/schema.ts';
import type { Cpu, Trace } from '../../shared/model/trace.ts';
import type { MergeInput } from './merge-input.ts';
import { listed } from './places.ts';

interface MergedCpus {
  readonly cpus: Cpu[];
  /** For each trace, from the id of a CPU to the one it has now. */
  readonly places: ReadonlyMap<number, number>[];
}

/**
 * The CPUs of all traces. A CPU that only rows name gets an entry, as there is no only host any more by
 * which its number could be understood. No two hosts share an id; a machine of two traces has each CPU once.
 */
export function mergeCpus(
  inputs: readonly MergeInput[],
  hostPlaces: readonly (readonly number[])[],
): MergedCpus {
  const taken = new Set<number>();
  let next = 0;
  const cpus: Cpu[] = [];
  const known = new Map<string, number>();
  const places = inputs.map(({ trace, sameHostAs }, at) => {
    const told = new Set(trace.cpus.map((cpu) => cpu.id));
    const unlisted = [...namedByRows(trace)].filter((id) => !told.has(id)).sort((a, b) => a - b);
    const isOnly = inputs.length === 1;
    const own = isOnly ? [] : unlisted.map((id): Cpu => ({ id, number: id }));
    const ids = new Map(isOnly ? unlisted.map((id) => [id, id]) : []);
    for (const cpu of [...trace.cpus, ...own]) {
      const placed = renumberEntity('cpus', cpu, { host: listed(hostPlaces[at] ?? []) }) as Cpu;
      const key = `${placed.host ?? 0} ${cpu.number}`;
      const same = sameHostAs === undefined ? undefined : known.get(key);
      if (same !== undefined) {
        ids.set(cpu.id, same);
        continue;
      }
      const isFree = at === 0 || !taken.has(cpu.id);
      while (!isFree && taken.has(next)) next++;
      const id = isFree ? cpu.id : next;
      taken.add(id);
      ids.set(cpu.id, id);
      if (!known.has(key)) known.set(key, id);
      cpus.push({ ...placed, id });
    }
    return ids;
  });
  return { cpus, places };
}

/** The ids of CPUs in any row. */
function namedByRows(trace: Trace): Set<number> {
  const ids = new Set<number>();
  for (const table of tableNames)
    for (const [name, { refersTo }] of columnSpecs(table)) {
      if (refersTo !== 'cpu') continue;
      for (const id of columnsOf(trace, table)[name] ?? []) if (id !== NONE) ids.add(id);
    }
  return ids;
}
