import type { Trace, TraceMeta } from '../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { NameBuilder } from '../build/names.ts';
import { mergeCpus } from './merge-cpus.ts';
import { basesOf, mergeEntities } from './merge-entities.ts';
import { mergeGpus, mergeHosts } from './merge-hosts.ts';
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
  const merged = mergeHosts(inputs);
  const parts = inputs.map((input, at): Part => {
    const own = merged.places[at].map(
      (place) => merged.hosts[place]?.hostname || `machine ${place + 1}`,
    );
    const label = input.label ?? own.join(', ');
    return { ...input, shiftNs: Number(begins[at] - beginUnixNs), label };
  });
  const lengthNs = Math.max(...parts.map(({ trace, shiftNs }) => shiftNs + trace.meta.lengthNs));
  if (lengthNs > Number.MAX_SAFE_INTEGER)
    return fail('traces-far-apart', 'These traces were recorded more than 104 days apart.');
  return ok(mergeParts(parts, merged, { beginUnixNs, lengthNs }));
}

const beginOf = ({ trace, offsetNs }: MergeInput) => trace.meta.beginUnixNs + BigInt(offsetNs);

function mergeParts(
  parts: readonly Part[],
  { hosts, places: hostPlaces }: ReturnType<typeof mergeHosts>,
  range: Pick<TraceMeta, 'beginUnixNs' | 'lengthNs'>,
): Trace {
  const traces = parts.map(({ trace }) => trace);
  const { gpus, places: gpuPlaces } = mergeGpus(parts, hostPlaces);
  const processes = basesOf(parts, 'processes');
  const contexts = basesOf(parts, 'contexts');
  const threads = basesOf(parts, 'threads');
  const streams = basesOf(parts, 'streams');
  const { cpus, places: cpuPlaces } = mergeCpus(parts, hostPlaces);
  const { names, nameSources, places: namePlaces } = mergeNames(traces);
  const { stacks, places: stackPlaces } = mergeStacks(traces.map(({ stacks }) => stacks));
  const placed = parts.map((part, at) => ({
    ...part,
    entityPlaces: {
      host: listed(hostPlaces[at]),
      cpu: mapped(cpuPlaces[at]),
      process: after(processes[at]),
      thread: after(threads[at]),
      gpu: listed(gpuPlaces[at]),
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
    gpus,
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
  const stated = <K extends 'recorder' | 'synthetic' | 'simulated' | 'convertedFrom'>(key: K) =>
    all.some((meta) => meta[key] !== undefined)
      ? { [key]: once(all.map((meta) => meta[key])) }
      : {};
  return {
    format: once(all.map(({ format }) => format)),
    version: once(all.map(({ version }) => version)),
    ...stated('recorder'),
    ...stated('synthetic'),
    ...stated('simulated'),
    ...stated('convertedFrom'),
  };
}
