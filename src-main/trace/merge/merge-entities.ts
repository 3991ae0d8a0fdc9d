import { renumberLists } from '../../shared/model/entity-references.ts';
import type { Clock, Job, Trace } from '../../shared/model/trace.ts';
import type { Part, PlacedPart } from './merge-input.ts';
import { listed } from './places.ts';

/** How many processes, threads, … the parts before have. */
export function basesOf(
  parts: readonly Part[],
  kind: 'processes' | 'threads' | 'contexts' | 'streams',
): number[] {
  let base = 0;
  return parts.map(({ trace }) => {
    base += trace[kind].length;
    return base - trace[kind].length;
  });
}

const lists = ['clocks', 'processes', 'threads', 'contexts', 'streams'] as const;
type Entities = Pick<Trace, (typeof lists)[number]>;

/** The entities of all parts, one part after the other; jobs of one name are one job. */
export function mergeEntities(parts: readonly PlacedPart[]): Entities & Pick<Trace, 'jobs'> {
  const jobs: Job[] = [];
  const jobNumbers = new Map<string, number>();
  const all = parts.map((part, at): Entities => {
    const { trace, shiftNs, entityPlaces } = part;
    const job = listed(addJobs(jobs, jobNumbers, trace.jobs, at === 0));
    const { contexts, streams } = trace;
    const moved = {
      ...{ contexts, streams },
      clocks: clocksOf(part, parts.length),
      processes: trace.processes.map((process) => later(process, shiftNs)),
      threads: trace.threads.map((thread) => later(thread, shiftNs)),
    };
    return renumberLists(moved, { ...entityPlaces, job });
  });
  const joined = lists.map((list) => [list, all.flatMap((part): readonly unknown[] => part[list])]);
  return { jobs, ...(Object.fromEntries(joined) as Entities) };
}

/** A job runs on several hosts under one name. */
function addJobs(
  jobs: Job[],
  numbers: Map<string, number>,
  own: readonly Job[],
  isFirst: boolean,
): number[] {
  return own.map((job) => {
    const known = isFirst ? undefined : numbers.get(job.name);
    if (known !== undefined) return known;
    const number = jobs.push(job) - 1;
    numbers.set(job.name, number);
    return number;
  });
}

/** The times of a life, moved. */
function later<T extends { startNs?: number; endNs?: number }>(one: T, shiftNs: number): T {
  return {
    ...one,
    ...(one.startNs !== undefined && { startNs: one.startNs + shiftNs }),
    ...(one.endNs !== undefined && { endNs: one.endNs + shiftNs }),
  };
}

/** The clocks of a part as they lead to the merged one; a host that had none gets one where that says something. */
function clocksOf({ trace, shiftNs, offsetNs, uncertaintyNs }: Part, parts: number): Clock[] {
  const moved = trace.clocks.map(({ uncertaintyNs: own, ...clock }): Clock => {
    const isKnown = own !== undefined && uncertaintyNs !== undefined;
    return {
      ...clock,
      offsetNs: clock.offsetNs + offsetNs,
      ...(isKnown && { uncertaintyNs: own + uncertaintyNs }),
      readings: clock.readings.map((reading) => ({
        ...reading,
        startNs: reading.startNs + shiftNs,
      })),
    };
  });
  if (parts === 1 && offsetNs === 0 && uncertaintyNs === 0) return moved;
  const withClock = new Set(trace.clocks.map(({ host = 0 }) => host));
  const uncertainty = uncertaintyNs === undefined ? {} : { uncertaintyNs };
  const added = trace.hosts.flatMap((_, host): Clock[] =>
    withClock.has(host) ? [] : [{ host, offsetNs, ...uncertainty, readings: [] }],
  );
  return [...moved, ...added];
}
