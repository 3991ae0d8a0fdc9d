import type { Clock, Trace } from './trace.ts';

/** How well the times of a host compare with those of the others. */
export type HostClock = Pick<Clock, 'offsetNs' | 'uncertaintyNs'>;

/**
 * The clock of each host of a trace of several, in their order: undefined of one. A host of which no clock is
 * in the trace has one that nobody measured, unless it is the first and no other is the trace's own.
 */
export function hostClocks({
  hosts,
  clocks,
}: Pick<Trace, 'hosts' | 'clocks'>): readonly HostClock[] | undefined {
  if (hosts.length <= 1) return undefined;
  const known = hosts.map((_, at) => clocks.find(({ host = 0 }) => host === at));
  const hasOwn = known.some((clock) => clock?.uncertaintyNs === 0);
  return known.map((clock, at) => {
    const isOwn = at === 0 && clock === undefined && !hasOwn;
    const uncertaintyNs = isOwn ? 0 : clock?.uncertaintyNs;
    return {
      offsetNs: clock?.offsetNs ?? 0,
      ...(uncertaintyNs !== undefined && { uncertaintyNs }),
    };
  });
}
