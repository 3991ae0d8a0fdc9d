import type { Clock, Job, ProcessInfo, ThreadInfo, Trace } from '../../shared/model/trace.ts';
import { onHost } from './merge-cpus.ts';
import type { Part } from './merge-input.ts';
import { after } from './places.ts';

/** How many hosts, processes, … the parts before have. */
export function basesOf(
  parts: readonly Part[],
  kind: 'hosts' | 'gpus' | 'processes' | 'threads' | 'contexts' | 'streams',
): number[] {
  let base = 0;
  return parts.map(({ trace }) => {
    base += trace[kind].length;
    return base - trace[kind].length;
  });
}

interface Bases {
  readonly hosts: readonly number[];
  readonly gpus: readonly number[];
  readonly processes: readonly number[];
  readonly contexts: readonly number[];
}

type Tasks = Pick<
  Trace,
  'gpus' | 'jobs' | 'processes' | 'threads' | 'contexts' | 'streams' | 'clocks'
>;

/** The entities of all parts, one part after the other; jobs of one name are one job. */
export function mergeEntities(parts: readonly Part[], bases: Bases): Tasks {
  const jobs: Job[] = [];
  const jobNumbers = new Map<string, number>();
  const all = parts.map((part, at): Tasks => {
    const jobPlaces = addJobs(jobs, jobNumbers, part.trace.jobs, at === 0);
    const { trace, shiftNs } = part;
    const process = after(bases.processes[at]);
    const gpu = after(bases.gpus[at]);
    const context = after(bases.contexts[at]);
    const hosted = <T extends { host?: number }>({ host = 0, ...rest }: T) =>
      ({ ...onHost(bases.hosts[at] + host), ...rest }) as unknown as T;
    return {
      jobs: [],
      gpus: trace.gpus.map(hosted),
      clocks: clocksOf(part, parts.length).map(hosted),
      processes: trace.processes.map(
        (one): ProcessInfo => ({
          ...hosted(later(one, shiftNs)),
          parent: process(one.parent),
          ...(one.job !== undefined && { job: jobPlaces[one.job] }),
        }),
      ),
      threads: trace.threads.map(
        (one): ThreadInfo => ({ ...later(one, shiftNs), process: process(one.process) }),
      ),
      contexts: trace.contexts.map((one) => ({
        process: process(one.process),
        gpu: gpu(one.gpu),
      })),
      streams: trace.streams.map((one) => ({ ...one, context: context(one.context) })),
    };
  });
  return {
    jobs,
    gpus: all.flatMap((one) => one.gpus),
    clocks: all.flatMap((one) => one.clocks),
    processes: all.flatMap((one) => one.processes),
    threads: all.flatMap((one) => one.threads),
    contexts: all.flatMap((one) => one.contexts),
    streams: all.flatMap((one) => one.streams),
  };
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
