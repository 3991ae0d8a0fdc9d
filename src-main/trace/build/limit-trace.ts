import { columnsOf } from '../../shared/model/columns-of.ts';
import { renumberLists } from '../../shared/model/entity-references.ts';
import {
  columnSpecs,
  MAX_NAMES,
  NONE,
  type Reference,
  tableNames,
} from '../../shared/model/schema.ts';
import type { Notice, Trace } from '../../shared/model/trace.ts';
import { formatCount } from '../../shared/text/units.ts';
import { limitTexts } from './limit-texts.ts';

/**
 * Most processes, threads and streams that are kept. All of them but the streams leave the
 * trace's process in one JSON text, which a hostile file must not make too long for a string. Linux
 * itself allows 32,768 processes and threads at a time unless told otherwise (kernel.pid_max).
 */
export const MAX_ENTITIES = 65_536;
const LAST_NAME = MAX_NAMES - 1;
const MAX_GPUS = 1024;
const MAX_HOSTS = 4096;
const LAST_HOST = MAX_HOSTS - 1;
const MAX_FINDINGS = 1000;
const MAX_OCCURRENCES = 100_000;

/** New position of each entity, `NONE` for those left out. */
type Places = Int32Array;

/** `trace` with no more entities and texts than its summary can carry, and a notice of what is not in it. */
export function limitTrace(trace: Trace): Trace {
  return limitTexts(limitFindings(limitLists(limitNames(limitTasks(limitHosts(trace))))));
}

/** What the hosts left out have is shown as on one that is not known. */
function limitHosts(trace: Trace): Trace {
  const { hosts, cpus, jobs } = trace;
  const notices = [
    ...leftOut('hosts', hosts.length, MAX_HOSTS),
    ...leftOut('CPUs', cpus.length, MAX_ENTITIES),
    ...leftOut('jobs', jobs.length, MAX_ENTITIES),
  ];
  if (notices.length === 0) return trace;
  const kept = hosts.length <= MAX_HOSTS ? hosts : [...hosts.slice(0, LAST_HOST), {}];
  remapColumns(
    trace,
    'host',
    Int32Array.from(hosts, (_, at) => Math.min(at, LAST_HOST)),
  );
  const limited = {
    ...trace,
    hosts: kept,
    cpus: cpus.slice(0, MAX_ENTITIES),
    jobs: jobs.slice(0, MAX_ENTITIES),
    notices: [...trace.notices, ...notices],
  };
  return renumberLists(limited, {
    host: (host) => Math.min(host, LAST_HOST),
    job: (job) => (job < MAX_ENTITIES ? job : NONE),
  });
}

/** Threads that made CUDA calls are kept first, then those of which anything was recorded. */
function limitTasks(trace: Trace): Trace {
  const { threads, processes } = trace;
  if (threads.length <= MAX_ENTITIES && processes.length <= MAX_ENTITIES) return trace;
  const threadPlaces = placesOf(threadRanks(trace), MAX_ENTITIES);
  const ranks = new Uint8Array(processes.length);
  threads.forEach(({ process }, at) => {
    if (threadPlaces[at] !== NONE && process >= 0) ranks[process] = 1;
  });
  const places = placesOf(ranks, MAX_ENTITIES);
  remapColumns(trace, 'thread', threadPlaces);
  remapColumns(trace, 'process', places);
  const limited = {
    ...trace,
    processes: kept(processes, places),
    threads: kept(threads, threadPlaces),
    notices: [
      ...trace.notices,
      ...leftOut('threads', threads.length, MAX_ENTITIES, ', those with CUDA calls first'),
      ...leftOut('processes', processes.length, MAX_ENTITIES),
    ],
  };
  return renumberLists(limited, { process: placeIn(places) });
}

function threadRanks(trace: Trace): Uint8Array {
  const ranks = new Uint8Array(trace.threads.length);
  for (const table of tableNames) {
    const { columns } = trace.tables[table];
    const threads = 'thread' in columns ? columns.thread : [];
    const rank = table === 'cuda_call' ? 2 : 1;
    for (const thread of threads)
      if (thread >= 0 && (ranks[thread] ?? rank) < rank) ranks[thread] = rank;
  }
  return ranks;
}

/** Places for `limit` entities: those of the higher rank, of these the first. Their order stays. */
function placesOf(ranks: Uint8Array, limit: number): Places {
  const places = new Int32Array(ranks.length).fill(NONE);
  let free = limit;
  for (const rank of [2, 1, 0])
    for (let at = 0; at < ranks.length && free > 0; at++)
      if (ranks[at] === rank) {
        places[at] = 0;
        free--;
      }
  let next = 0;
  for (let at = 0; at < places.length; at++) if (places[at] === 0) places[at] = next++;
  return places;
}

function kept<T>(entities: readonly T[], places: Places): T[] {
  return entities.filter((_, at) => places[at] !== NONE);
}

/** Names beyond the limit: those of operations stay. */
function limitNames(trace: Trace): Trace {
  const { names, nameSources } = trace;
  if (names.length <= MAX_NAMES) return trace;
  const ranks = new Uint8Array(names.length);
  for (const table of tableNames)
    for (const [name, spec] of columnSpecs(table))
      if (spec.type === 'name') for (const at of columnsOf(trace, table)[name] ?? []) ranks[at] = 1;
  const places = placesOf(ranks, LAST_NAME);
  remapColumns(trace, 'name', places, LAST_NAME);
  return {
    ...trace,
    names: [...kept(names, places), '(not known)'],
    nameSources: [...kept(nameSources, places), ''],
    notices: [...trace.notices, ...leftOut('names', names.length, LAST_NAME)],
  };
}

/** Contexts, streams and GPUs beyond the limit. */
function limitLists(trace: Trace): Trace {
  const { contexts, streams, gpus } = trace;
  const notices = [
    ...leftOut('contexts', contexts.length, MAX_ENTITIES),
    ...leftOut('streams', streams.length, MAX_ENTITIES),
    ...leftOut('GPUs', gpus.length, MAX_GPUS),
  ];
  if (notices.length === 0) return trace;
  const contextPlaces = firstPlaces(contexts.length, MAX_ENTITIES);
  const gpuPlaces = firstPlaces(gpus.length, MAX_GPUS);
  remapColumns(trace, 'context', contextPlaces);
  remapColumns(trace, 'stream', firstPlaces(streams.length, MAX_ENTITIES));
  remapColumns(trace, 'gpu', gpuPlaces);
  const limited = {
    ...trace,
    contexts: contexts.slice(0, MAX_ENTITIES),
    streams: streams.slice(0, MAX_ENTITIES),
    gpus: gpus.slice(0, MAX_GPUS),
    notices: [...trace.notices, ...notices],
  };
  return renumberLists(limited, { gpu: placeIn(gpuPlaces), context: placeIn(contextPlaces) });
}

const placeIn = (places: Places) => (index: number) => places[index] ?? NONE;

const firstPlaces = (count: number, limit: number): Places =>
  Int32Array.from({ length: count }, (_, at) => (at < limit ? at : NONE));

/** Rewrites every column of indexes of one kind, in place; `left` is what one without NONE says instead. */
function remapColumns(trace: Trace, kind: Reference, places: Places, left = NONE): void {
  for (const table of tableNames)
    for (const [name, spec] of columnSpecs(table)) {
      const array = columnsOf(trace, table)[name];
      if (spec.refersTo !== kind || array === undefined) continue;
      const otherwise = spec.none ?? left;
      for (let row = 0; row < array.length; row++) {
        const place = places[array[row] as number] ?? NONE;
        array[row] = place === NONE ? otherwise : place;
      }
    }
}

function limitFindings(trace: Trace): Trace {
  const { sourceFindings } = trace;
  let free = MAX_OCCURRENCES;
  let cut = sourceFindings.length > MAX_FINDINGS;
  const findings = sourceFindings.slice(0, MAX_FINDINGS).map((finding) => {
    const occurrences = finding.occurrences.slice(0, free);
    free -= occurrences.length;
    cut ||= occurrences.length < finding.occurrences.length;
    return { ...finding, occurrences };
  });
  if (!cut) return trace;
  const text = `The recording tool reported more than ${formatCount(MAX_FINDINGS)} findings or ${formatCount(MAX_OCCURRENCES)} occurrences of them: only the first are shown.`;
  return {
    ...trace,
    sourceFindings: findings,
    notices: [...trace.notices, { level: 'warning', text }],
  };
}

function leftOut(what: string, count: number, limit: number, which = ''): Notice[] {
  if (count <= limit) return [];
  const text = `The file has ${formatCount(count)} ${what}, of which ${formatCount(count - limit)} are left out: ${formatCount(limit)} are kept${which}; events that refer to the others show “not known”.`;
  return [{ level: 'warning', text }];
}
