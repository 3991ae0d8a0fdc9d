import type { Gpu, Hardware, Host, Trace } from './trace.ts';

/** A host with its GPUs. */
export interface Machine extends Host {
  readonly gpus: readonly Gpu[];
}

/** The hosts of a trace, each with its GPUs. */
export function machinesOf({ hosts, gpus }: Pick<Hardware, 'hosts' | 'gpus'>): Machine[] {
  return hosts.map((host, index) => ({
    ...host,
    gpus: gpus.filter(({ host = 0 }) => host === index),
  }));
}

/** What is known of every host, each answer once: `node1; node2`. Empty where nothing is. */
export function ofHosts(
  { hosts }: Pick<Hardware, 'hosts'>,
  factOf: (host: Host) => string | undefined,
): string {
  return [...new Set(hosts.map(factOf).filter((fact) => fact !== undefined && fact !== ''))].join(
    '; ',
  );
}

/** The host on which `thread` runs; the first where that is not known. */
export function hostOfThread(
  { hosts, processes, threads }: Pick<Trace, 'hosts' | 'processes' | 'threads'>,
  thread: number,
): Host {
  return hosts[processes[threads[thread]?.process ?? -1]?.host ?? 0] ?? NO_HOST;
}

const NO_HOST: Host = {};

/** `CPU 3`, of several hosts `CPU 3 · node2`. */
export function cpuLabel({ hosts, cpus }: Hardware, id: number): string {
  const cpu = cpus.find((known) => known.id === id);
  const host = hosts.length > 1 ? hosts[cpu?.host ?? 0]?.hostname : undefined;
  const label = `CPU ${cpu?.number ?? id}`;
  return host === undefined ? label : `${label} · ${host}`;
}
