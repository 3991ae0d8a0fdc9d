import { NONE } from './schema.ts';
import type { Gpu, Hardware, Host, OnHost, ProcessInfo, Trace } from './trace.ts';

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

/** As ofHosts, of what each host has an amount of: `2 CPUs on each of 4 machines`. */
export function ofEachHost(
  hardware: Pick<Hardware, 'hosts'>,
  factOf: (host: Host) => string | undefined,
): string {
  const { hosts } = hardware;
  const facts = new Set(hosts.map(factOf));
  const all = ofHosts(hardware, factOf);
  return hosts.length > 1 && facts.size === 1 && all !== ''
    ? `${all} on each of ${hosts.length} machines`
    : all;
}

/** The host on which `thread` runs; the first where that is not known. */
export function hostOfThread(
  { hosts, processes, threads }: Pick<Trace, 'hosts' | 'processes' | 'threads'>,
  thread: number,
): Host {
  return hosts[hostIndexOf({ processes, threads }, thread)] ?? NO_HOST;
}

/** As hostOfThread, the index into hosts. */
export function hostIndexOf(
  { processes, threads }: Pick<Trace, 'processes' | 'threads'>,
  thread: number,
): number {
  return processes[threads[thread]?.process ?? NONE]?.host ?? 0;
}

/** Whether a row of `gap` may be of what was lost on `host`. */
export function isGapOf({ tables }: Pick<Trace, 'tables'>, row: number, host: number): boolean {
  const of = tables.gap.columns.host?.[row] ?? NONE;
  return of === NONE || of === host;
}

const NO_HOST: Host = {};

/** What a host is called of which a file does not say which it is. */
export const UNNAMED_HOST = 'machine not named';

/** What a host is called: by its name, or where it has none by its place in the list. */
export function hostLabel({ hosts }: Pick<Hardware, 'hosts'>, host: number): string {
  return hosts[host]?.hostname || `machine ${host + 1}`;
}

/** What the host of something is called, where there are several to tell apart; else nothing. */
export function hostNote(
  hardware: Pick<Hardware, 'hosts'>,
  { host = 0 }: OnHost = {},
): string | undefined {
  return hardware.hosts.length > 1 ? hostLabel(hardware, host) : undefined;
}

/** `pid 96`, of several hosts `pid 96 on node2`. */
export function pidText(
  hardware: Pick<Hardware, 'hosts'>,
  process: Pick<ProcessInfo, 'pid' | 'host'>,
): string {
  const host = hostNote(hardware, process);
  return host === undefined ? `pid ${process.pid}` : `pid ${process.pid} on ${host}`;
}

/** The host that a row of `sample` is of. */
export function hostOfSample(
  { gpus, tables }: Pick<Trace, 'gpus' | 'tables'>,
  row: number,
): number {
  const { host, gpu } = tables.sample.columns;
  const stated = host?.[row] ?? NONE;
  return stated === NONE ? (gpus[gpu?.[row] ?? NONE]?.host ?? 0) : stated;
}

/** The host on which a row of `gpu_work` ran; undefined where the trace does not say. */
export function hostOfGpuWork(
  { gpus, processes, tables }: Pick<Trace, 'gpus' | 'processes' | 'tables'>,
  row: number,
): number | undefined {
  const { gpu, process } = tables.gpu_work.columns;
  const on = gpus[gpu?.[row] ?? NONE] ?? processes[process?.[row] ?? NONE];
  return on === undefined ? undefined : (on.host ?? 0);
}

/** `GPU 1`, as its host counts them; of several hosts `GPU 1 · node2`. */
export function gpuLabel(hardware: Pick<Hardware, 'gpus' | 'hosts'>, gpu: number): string {
  const { host = 0 } = hardware.gpus[gpu] ?? {};
  const before = hardware.gpus.slice(0, gpu).filter((other) => (other.host ?? 0) === host);
  const note = hostNote(hardware, { host });
  return note === undefined ? `GPU ${gpu}` : `GPU ${before.length} · ${note}`;
}

/** The models of GPU, each once, and by GPU which of them it is. */
export function gpuKinds({ gpus }: Pick<Hardware, 'gpus'>): {
  readonly models: readonly string[];
  readonly ofGpu: readonly number[];
} {
  const models = [...new Set(gpus.map(({ model }) => model))];
  return { models, ofGpu: gpus.map(({ model }) => models.indexOf(model)) };
}

/** Empty where no tool said which model a GPU is: what stands for that in a trace is no name. */
export function knownModel(gpu: { readonly model: string } | undefined): string {
  return gpu === undefined || gpu.model === '(not known)' ? '' : gpu.model;
}

/** The number by which its host knows the CPU that rows call `id`. */
export function cpuNumber({ cpus }: Pick<Hardware, 'cpus'>, id: number): number {
  return cpus.find((known) => known.id === id)?.number ?? id;
}

/** `CPU 3`, of several hosts `CPU 3 · node2`. */
export function cpuLabel(hardware: Hardware, id: number): string {
  const cpu = hardware.cpus.find((known) => known.id === id);
  const host = hostNote(hardware, cpu);
  const label = `CPU ${cpu?.number ?? id}`;
  return host === undefined ? label : `${label} · ${host}`;
}
