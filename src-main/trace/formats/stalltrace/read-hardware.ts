import type { DatabaseSync } from 'node:sqlite';
import { NONE } from '../../../shared/model/schema.ts';
import type { ClockReading, Host, OnHost } from '../../../shared/model/trace.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { countCell, textCell } from './cells.ts';
import { readEntityRows } from './entity-rows.ts';
import type { FileSchema } from './file-schema.ts';
import { addEntities, known } from './read-entities.ts';

/** One a second: more than a day. */
const MAX_CLOCK_READINGS = 100_000;

/** The hosts of a file, at least one: what of them is known. */
export function readHosts(
  database: DatabaseSync,
  schema: FileSchema,
  { hosts }: TraceBuilder,
): number {
  const skipped = addEntities(
    hosts,
    readEntityRows(database, schema, 'host'),
    (row): Host =>
      known({
        hostname: textCell(row.hostname),
        os: textCell(row.os),
        kernel: textCell(row.kernel),
        cpuModel: textCell(row.cpu_model),
        cpuCount: countCell(row.cpu_count),
        memoryBytes: countCell(row.memory_bytes),
        cudaVersion: textCell(row.cuda_version),
        pythonVersion: textCell(row.python_version),
      }),
  );
  if (hosts.values.length === 0) hosts.add({});
  return skipped;
}

function wideCell(cell: Cell): bigint | undefined {
  return typeof cell === 'string' && /^\d{1,19}$/.test(cell) ? BigInt(cell) : undefined;
}

/** The clocks of a file with what they said; readings without one are of the first host's own clock. */
export function readClocks(
  database: DatabaseSync,
  schema: FileSchema,
  { clocks }: TraceBuilder,
  hostOf: (cell: Cell) => OnHost,
): number {
  const skipped = addEntities(clocks, readEntityRows(database, schema, 'clock'), (row) => {
    const offsetNs = row.offset_ns;
    if (typeof offsetNs !== 'number' || !Number.isSafeInteger(offsetNs)) return undefined;
    const uncertainty = known({ uncertaintyNs: countCell(row.uncertainty_ns) });
    return { ...hostOf(row.host_id), offsetNs, ...uncertainty, readings: [] };
  });
  let read = 0;
  for (const row of readEntityRows(database, schema, 'clock_reading')) {
    const startNs = countCell(row.start_ns);
    if (startNs === undefined || read === MAX_CLOCK_READINGS) continue;
    if (clocks.values.length === 0) clocks.add({ offsetNs: 0, uncertaintyNs: 0, readings: [] });
    const position = row.clock_id === null ? 0 : clocks.positionOf(countCell(row.clock_id) ?? NONE);
    const reading = known({
      monotonicNs: wideCell(row.monotonic_ns),
      bootNs: wideCell(row.boot_ns),
      rawNs: wideCell(row.raw_ns),
      realNs: wideCell(row.real_ns),
    });
    (clocks.values[position]?.readings as ClockReading[] | undefined)?.push({
      startNs,
      ...reading,
    });
    read++;
  }
  return skipped;
}

/** The CPUs of a file, by the ids its rows name them by. */
export function readCpus(
  database: DatabaseSync,
  schema: FileSchema,
  { cpus }: TraceBuilder,
  hostOf: (cell: Cell) => OnHost,
): number {
  return addEntities(cpus, readEntityRows(database, schema, 'cpu'), (row) => {
    const id = countCell(row.id) ?? 0;
    return {
      id,
      ...hostOf(row.host_id),
      number: countCell(row.number) ?? id,
      ...known({
        core: countCell(row.core),
        package: countCell(row.package),
        numaNode: countCell(row.numa_node),
      }),
    };
  });
}

/** The GPUs of a file. */
export function readGpus(
  database: DatabaseSync,
  schema: FileSchema,
  { gpus }: TraceBuilder,
  hostOf: (cell: Cell) => OnHost,
): number {
  return addEntities(gpus, readEntityRows(database, schema, 'gpu'), (row) => ({
    ...hostOf(row.host_id),
    model: textCell(row.model) ?? '(not known)',
    ...known({
      uuid: textCell(row.uuid),
      memoryBytes: countCell(row.memory_bytes),
      driver: textCell(row.driver),
      pciBusId: textCell(row.pci_bus_id),
      numaNode: countCell(row.numa_node),
    }),
  }));
}

/** The jobs that a file names. */
export function readJobs(
  database: DatabaseSync,
  schema: FileSchema,
  { jobs }: TraceBuilder,
): number {
  return addEntities(jobs, readEntityRows(database, schema, 'job'), (row) => {
    const name = textCell(row.name);
    return name === undefined ? undefined : { name };
  });
}

/** The CUDA contexts of a file. */
export function readContexts(
  database: DatabaseSync,
  schema: FileSchema,
  { contexts, processes, gpus }: TraceBuilder,
): number {
  return addEntities(contexts, readEntityRows(database, schema, 'context'), (row) => ({
    process: processes.positionOf(countCell(row.process_id) ?? NONE),
    gpu: gpus.positionOf(countCell(row.gpu_id) ?? NONE),
  }));
}

/** The CUDA streams of a file. */
export function readStreams(
  database: DatabaseSync,
  schema: FileSchema,
  { streams, contexts }: TraceBuilder,
): number {
  return addEntities(streams, readEntityRows(database, schema, 'stream'), (row) => {
    const name = textCell(row.name);
    const context = contexts.positionOf(countCell(row.context_id) ?? NONE);
    return name === undefined ? undefined : { name, context };
  });
}
