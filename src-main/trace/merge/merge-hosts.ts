import { renumberEntity } from '../../shared/model/entity-references.ts';
import type { Gpu, Host } from '../../shared/model/trace.ts';
import type { MergeInput } from './merge-input.ts';
import { listed, type Renumber } from './places.ts';

interface MergedHosts {
  readonly hosts: readonly Host[];
  /** For each input, where its hosts are now. */
  readonly places: readonly (readonly number[])[];
}

/** All hosts, each machine once, under the names they are to be shown by; of several with one name, the later get a number. */
export function mergeHosts(inputs: readonly MergeInput[]): MergedHosts {
  const hosts: Host[] = [];
  const places: (readonly number[])[] = [];
  const taken = new Set<string>();
  for (const { trace, hostname, sameHostAs } of inputs) {
    const shared = sameHostAs === undefined ? undefined : places[sameHostAs]?.[0];
    if (shared !== undefined) {
      hosts[shared] = { ...trace.hosts[0], ...hosts[shared] };
      places.push([shared]);
      continue;
    }
    const base = hosts.length;
    for (const host of trace.hosts) {
      const wanted =
        trace.hosts.length === 1 ? (hostname ?? host.hostname) : (host.hostname ?? hostname);
      if (wanted === undefined) {
        hosts.push(host);
        continue;
      }
      let name = wanted;
      for (let copy = 2; taken.has(name); copy++) name = `${wanted} (${copy})`;
      if (inputs.length > 1) taken.add(name);
      hosts.push({ ...host, hostname: name });
    }
    places.push(trace.hosts.map((_, at) => base + at));
  }
  return { hosts, places };
}

interface MergedGpus {
  readonly gpus: readonly Gpu[];
  /** For each input, where its GPUs are now. */
  readonly places: readonly (readonly number[])[];
}

/** All GPUs; those that two traces of one machine have are there once. */
export function mergeGpus(
  inputs: readonly MergeInput[],
  hostPlaces: MergedHosts['places'],
): MergedGpus {
  const gpus: Gpu[] = [];
  const places = inputs.map(({ trace, sameHostAs }, at) => {
    const host: Renumber = listed(hostPlaces[at] ?? []);
    const own = trace.gpus.map((gpu) => renumberEntity('gpus', gpu, { host }) as Gpu);
    const there = sameHostAs === undefined ? [] : gpusOf(gpus, own[0]?.host ?? 0);
    return own.map((gpu, ordinal) => {
      const same = there.find((each) => isSame(gpus[each] as Gpu, gpu));
      const isNamed = gpu.uuid !== undefined || gpu.pciBusId !== undefined;
      // Without a name of its own a GPU is known by its place in the list of its machine.
      const known = same ?? (isNamed ? undefined : placeLike(gpus, there[ordinal], gpu));
      return known ?? gpus.push(gpu) - 1;
    });
  });
  return { gpus, places };
}

function gpusOf(gpus: readonly Gpu[], host: number): number[] {
  return gpus.flatMap((gpu, at) => ((gpu.host ?? 0) === host ? [at] : []));
}

function isSame(one: Gpu, other: Gpu): boolean {
  if (one.uuid !== undefined && other.uuid !== undefined) return one.uuid === other.uuid;
  return one.pciBusId !== undefined && one.pciBusId === other.pciBusId;
}

function placeLike(gpus: readonly Gpu[], place: number | undefined, gpu: Gpu): number | undefined {
  if (place === undefined || gpus[place]?.model !== gpu.model) return undefined;
  return place;
}
