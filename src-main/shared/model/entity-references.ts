import { NONE } from './schema.ts';
import type { Trace } from './trace.ts';

/** The lists of what a trace's rows and entities name, of which something names another. */
type Lists = Pick<
  Trace,
  'cpus' | 'gpus' | 'clocks' | 'processes' | 'threads' | 'contexts' | 'streams'
>;
type ListName = keyof Lists;

/** What a field of an entity may name, by its index. */
type Named = 'host' | 'job' | 'process' | 'gpu' | 'context';

interface EntityReference {
  readonly to: Named;
  /** What the field means where it is left out, and is left out for; such a field need not be there. */
  readonly absent?: number;
}

const host = { to: 'host', absent: 0 } as const;

/** Every field by which an entity names another: they change where entities do. */
export const entityReferences = {
  cpus: { host },
  gpus: { host },
  clocks: { host },
  processes: { host, parent: { to: 'process' }, job: { to: 'job', absent: NONE } },
  threads: { process: { to: 'process' } },
  contexts: { process: { to: 'process' }, gpu: { to: 'gpu' } },
  streams: { context: { to: 'context' } },
} as const satisfies {
  readonly [L in ListName]: { readonly [F in keyof Lists[L][number]]?: EntityReference };
};

/** From the old index of what is named to the new one, `NONE` = it is not there any more. */
export type Renumbering = { readonly [N in Named]?: (index: number) => number };

/** `entity`, one of `list`, with all that it names renumbered; what `by` says nothing of stays. */
export function renumberEntity<L extends ListName>(
  list: L,
  entity: Lists[L][number],
  by: Renumbering,
): Lists[L][number] {
  const renumbered: Record<string, unknown> = { ...entity };
  for (const [field, { to, absent }] of Object.entries<EntityReference>(entityReferences[list])) {
    const place = by[to];
    if (place === undefined) continue;
    const own = (renumbered[field] as number | undefined) ?? absent ?? NONE;
    const index = own === NONE ? NONE : place(own);
    // Fields keep their order: an entity that is renumbered is written as it was.
    if (index === absent) delete renumbered[field];
    else renumbered[field] = index;
  }
  return renumbered as unknown as Lists[L][number];
}

/** The lists of `trace` whose entities name any of what `by` renumbers, renumbered. */
export function renumberLists<T extends Partial<Lists>>(trace: T, by: Renumbering): T {
  const renumbered: Partial<Record<ListName, readonly unknown[]>> = {};
  for (const [name, fields] of Object.entries(entityReferences)) {
    const list = name as ListName;
    const isNaming = Object.values<EntityReference>(fields).some(({ to }) => by[to] !== undefined);
    if (isNaming && trace[list] !== undefined)
      renumbered[list] = trace[list].map((entity) => renumberEntity(list, entity, by));
  }
  return { ...trace, ...renumbered };
}
