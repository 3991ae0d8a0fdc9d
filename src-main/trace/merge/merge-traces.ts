import type { Host, Trace, TraceMeta } from '../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { NameBuilder } from '../build/names.ts';
import { mergeCpus } from './merge-cpus.ts';
import { basesOf, mergeEntities } from './merge-entities.ts';
import type { MergeInput, Part } from './merge-input.ts';
import { mergeCapabilities, mergeFindings, mergeNotices } from './merge-notes.ts';
import { mergeStacks } from './merge-stacks.ts';
import { mergeTables } from './merge-tables.ts';
import { after, listed, mapped } from './places.ts';

/**
 * Several traces as one of several hosts, on one clock: every entity and row of each is there, in the
 * order of the merged clock. Inputs stay as they are. Of one trace that is not moved the result is equal to it.
 * Fails where they lie too far apart for times in ns that are exact.
 */
export function mergeTraces(inputs: readonly MergeInput[]): Result<Trace, 'traces-far-apart'> {
  const begins = inputs.map(beginOf);
  const beginUnixNs = begins.reduce((first, begin) => (begin < first ? begin : first));
  const hosts = nameHosts(inputs);
  let hostBase = 0;
  const parts = inputs.map((input, at): Part => {
    const own = hosts.slice(hostBase, hostBase + input.trace.hosts.length);
    hostBase += own.length;
    const label = own.map(
      ({ hostname }, place) => hostname || `machine ${hostBase - own.length + place + 1}`,
    );
    return { ...input, shiftNs: Number(begins[at] - beginUnixNs), label: label.join(', ') };
  });
  const lengthNs = Math.max(...parts.map(({ trace, shiftNs }) => shiftNs + trace.meta.lengthNs));
  if (lengthNs > Number.MAX_SAFE_INTEGER)
    return fail('traces-far-apart', 'These traces were recorded more than 104 days apart.');
  return ok(mergeParts(parts, hosts, { beginUnixNs, lengthNs }));
}

const beginOf = ({ trace, offsetNs }: MergeInput) => trace.meta.beginUnixNs + BigInt(offsetNs);

/** All hosts under the names they are to be shown by; of several with one name, the later get a number. */
function nameHosts(inputs: readonly MergeInput[]): Host[] {
  const taken = new Set<string>();
  return inputs.flatMap(({ trace, hostname }) =>
    trace.hosts.map((host) => {
      const wanted =
        trace.hosts.length === 1 ? (hostname ?? host.hostname) : (host.hostname ?? hostname);
      if (wanted === undefined || inputs.length === 1)
        return wanted === undefined ? host : { ...host, hostname: wanted };
      let name = wanted;
      for (let copy = 2; taken.has(name); copy++) name = `${wanted} (${copy})`;
      taken.add(name);
      return { ...host, hostname: name };
    }),
  );
}

function mergeParts(
  parts: readonly Part[],
  hosts: readonly Host[],
  range: Pick<TraceMeta, 'beginUnixNs' | 'lengthNs'>,
): Trace {
  const traces = parts.map(({ trace }) => trace);
  const hostBases = basesOf(parts, 'hosts');
  const gpus = basesOf(parts, 'gpus');
  const processes = basesOf(parts, 'processes');
  const contexts = basesOf(parts, 'contexts');
  const threads = basesOf(parts, 'threads');
  const streams = basesOf(parts, 'streams');
  const { cpus, places: cpuPlaces } = mergeCpus(traces, hostBases);
  const { names, nameSources, places: namePlaces } = mergeNames(traces);
  const { stacks, places: stackPlaces } = mergeStacks(traces.map(({ stacks }) => stacks));
  const placed = parts.map((part, at) => ({
    ...part,
    entityPlaces: {
      host: after(hostBases[at]),
      cpu: mapped(cpuPlaces[at]),
      process: after(processes[at]),
      thread: after(threads[at]),
      gpu: after(gpus[at]),
      context: after(contexts[at]),
      stream: after(streams[at]),
      stack: listed(stackPlaces[at]),
      name: listed(namePlaces[at]),
    },
  }));
  return {
    meta: { ...mergeMeta(traces.map(({ meta }) => meta)), ...range },
    hosts,
    cpus,
    ...mergeEntities(placed),
    names,
    nameSources,
    stacks,
    tables: mergeTables(placed, names.length),
    sourceFindings: mergeFindings(parts),
    notices: mergeNotices(parts),
    capabilities: mergeCapabilities(parts),
  };
}

/** The names of all traces, each once, and for each trace where its own are now. */
function mergeNames(
  traces: readonly Trace[],
): Pick<Trace, 'names' | 'nameSources'> & { readonly places: readonly Uint32Array[] } {
  const builder = new NameBuilder();
  const places = traces.map(({ names, nameSources }) =>
    Uint32Array.from(names, (name, at) => builder.add(name, nameSources[at])),
  );
  return { names: builder.texts, nameSources: builder.sources, places };
}

/** What the traces say of themselves, each answer once. */
function mergeMeta(all: readonly TraceMeta[]): Pick<TraceMeta, 'format' | 'version'> {
  const once = (answers: readonly (string | undefined)[]) =>
    [...new Set(answers.filter((answer) => answer !== undefined))].join('; ');
  const stated = <K extends 'recorder' | 'synthetic' | 'simulated'>(key: K) =>
    all.some((meta) => meta[key] !== undefined)
      ? { [key]: once(all.map((meta) => meta[key])) }
      : {};
  return {
    format: once(all.map(({ format }) => format)),
    version: once(all.map(({ version }) => version)),
    ...stated('recorder'),
    ...stated('synthetic'),
    ...stated('simulated'),
  };
}
