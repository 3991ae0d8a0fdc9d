import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { NONE, tableNames } from '../../../shared/model/schema.ts';
import { frameAt, type Stacks } from '../../../shared/model/stacks.ts';
import type { Provenance, Trace, TraceMeta } from '../../../shared/model/trace.ts';
import { type HasColumn, readmeRows } from './create.ts';
import { type EntityTable, type EntityTableName, entityTables } from './entity-tables.ts';
import { eventColumns } from './schema.ts';
import { prepareInsert } from './write-rows.ts';

type Row = Readonly<Record<string, SQLInputValue | undefined>>;

function insertRows(database: DatabaseSync, table: EntityTableName, rows: Iterable<Row>): void {
  const spec: EntityTable = entityTables[table];
  const columns = Object.keys(spec.columns).filter((name) => spec.columns[name]?.kept !== true);
  const insert = prepareInsert(database, table, columns);
  for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
}

const position = (index: number) => (index === NONE ? null : index);

function metaRows({ meta }: Trace): Row[] {
  const lengthNs = BigInt(Math.ceil(meta.lengthNs));
  const facts: [string, SQLInputValue | undefined][] = [
    ['begin_unix_ns', meta.beginUnixNs],
    ['length_ns', lengthNs],
    ['finished_ns', lengthNs],
    ['recorder', meta.recorder],
    ['synthetic', meta.synthetic],
    ['simulated', meta.simulated],
    ['packages', meta.packages && JSON.stringify(meta.packages)],
    ['converted_from', convertedFrom(meta)],
  ];
  return facts.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
}

function convertedFrom({ format, version, convertedFrom: earlier }: TraceMeta): string | undefined {
  return earlier ?? (format === 'Stalltrace' ? undefined : `${format} ${version}`);
}

function writeTasks(database: DatabaseSync, trace: Trace): void {
  insertRows(
    database,
    'process',
    trace.processes.map((process, id) => ({
      id,
      pid: process.namespaced === true ? null : process.pid,
      namespace_pid: process.namespaced === true ? process.pid : process.namespacePid,
      name: process.name,
      command_line: process.commandLine,
      parent_id: position(process.parent),
      role: process.role,
      role_basis: process.roleBasis,
      start_ns: process.startNs,
      end_ns: process.endNs,
      rank: process.rank,
      local_rank: process.localRank,
      world_size: process.worldSize,
      cgroup: process.cgroup,
      cpus_allowed: process.cpusAllowed,
      cpu_quota: process.cpuQuota,
      host_id: process.host ?? 0,
      job_id: process.job,
      group_cpus: process.groupCpus,
      pinned_nodes: process.pinnedNodes,
    })),
  );
  insertRows(
    database,
    'thread',
    trace.threads.map((thread, id) => ({
      id,
      process_id: thread.process,
      tid: thread.namespaced === true ? null : thread.tid,
      namespace_tid: thread.namespaced === true ? thread.tid : thread.namespaceTid,
      name: thread.name,
      role: thread.role,
      start_ns: thread.startNs,
      end_ns: thread.endNs,
      policy: thread.policy,
      priority: thread.priority,
      nice: thread.nice,
    })),
  );
}

function writeHardware(database: DatabaseSync, { hosts, cpus, gpus }: Trace): void {
  insertRows(
    database,
    'host',
    hosts.map((host, id) => ({
      id,
      hostname: host.hostname,
      os: host.os,
      kernel: host.kernel,
      cpu_model: host.cpuModel,
      cpu_count: host.cpuCount,
      memory_bytes: host.memoryBytes,
      cuda_version: host.cudaVersion,
      python_version: host.pythonVersion,
    })),
  );
  insertRows(
    database,
    'cpu',
    cpus.map((cpu) => ({
      id: cpu.id,
      core: cpu.core,
      package: cpu.package,
      numa_node: cpu.numaNode,
      host_id: cpu.host ?? 0,
      number: cpu.number,
    })),
  );
  insertRows(
    database,
    'gpu',
    gpus.map((gpu, id) => ({
      id,
      model: gpu.model,
      memory_bytes: gpu.memoryBytes,
      driver: gpu.driver,
      pci_bus_id: gpu.pciBusId,
      host_id: gpu.host ?? 0,
      uuid: gpu.uuid,
      numa_node: gpu.numaNode,
    })),
  );
}

function writeClocks(database: DatabaseSync, { clocks }: Trace): void {
  insertRows(
    database,
    'clock',
    clocks.map((clock, id) => ({
      id,
      host_id: clock.host ?? 0,
      offset_ns: clock.offsetNs,
      uncertainty_ns: clock.uncertaintyNs,
    })),
  );
  insertRows(
    database,
    'clock_reading',
    clocks.flatMap(({ readings }, clock_id) =>
      readings.map((reading) => ({
        clock_id,
        start_ns: reading.startNs,
        monotonic_ns: reading.monotonicNs,
        boot_ns: reading.bootNs,
        raw_ns: reading.rawNs,
        real_ns: reading.realNs,
      })),
    ),
  );
}

function writeTexts(database: DatabaseSync, trace: Trace): void {
  const { names, nameSources, contexts, streams } = trace;
  insertRows(
    database,
    'name',
    names.map((text, id) => ({ id, source: nameSources[id] ?? '', text })),
  );
  insertRows(
    database,
    'context',
    contexts.map(({ process, gpu }, id) => ({
      id,
      process_id: position(process),
      gpu_id: position(gpu),
    })),
  );
  insertRows(
    database,
    'stream',
    streams.map(({ name, context }, id) => ({ id, name, context_id: position(context) })),
  );
}

function* stackRows({ length, prefix, frame }: Stacks): Generator<Row> {
  for (let id = 0; id < length; id++)
    yield { id, prefix_id: position(prefix[id] as number), frame_id: frame[id] };
}

function* frameRows(stacks: Stacks): Generator<Row> {
  for (let id = 0; id < stacks.frames.length; id++) yield { id, ...frameAt(stacks, id) };
}

const provenanceRow = ({ kind, everyNs, note }: Provenance) => ({ kind, every_ns: everyNs, note });

function provenanceRows({ tables }: Trace): Row[] {
  return tableNames.flatMap((table_name) => {
    const { provenance, columnProvenance, recordedAs } = tables[table_name];
    const columns = eventColumns(table_name).flatMap(({ name, sqlName }) => {
      const own = columnProvenance[name];
      return own === undefined ? [] : [{ table_name, column_name: sqlName, ...provenanceRow(own) }];
    });
    const recorded = { recorded_source: recordedAs.source, recorded_op: recordedAs.op };
    return [{ table_name, column_name: '', ...provenanceRow(provenance), ...recorded }, ...columns];
  });
}

function writeFindings(database: DatabaseSync, { sourceFindings }: Trace): void {
  insertRows(
    database,
    'source_finding',
    sourceFindings.map((finding, id) => ({
      id,
      found_by: finding.foundBy,
      node: finding.node,
      ops: JSON.stringify(finding.ops),
      causes: JSON.stringify(finding.causes),
      severity: finding.severity,
      summary: finding.summary,
      explanation: finding.explanation,
      recommendations: JSON.stringify(finding.recommendations),
    })),
  );
  insertRows(
    database,
    'source_finding_occurrence',
    sourceFindings.flatMap(({ occurrences }, finding_id) =>
      occurrences.map((occurrence) => ({
        finding_id,
        op: occurrence.op,
        detected_ns: occurrence.detectedNs,
        severity: occurrence.severity,
        p50_us: occurrence.p50Us,
        p99_us: occurrence.p99Us,
        ratio: occurrence.ratio,
        detail: occurrence.detail,
      })),
    ),
  );
}

/** Writes everything of a trace but its events. Throws what SQLite throws. */
export function writeEntities(database: DatabaseSync, trace: Trace, has: HasColumn): void {
  const readme = readmeRows(has).map(([table_name, column_name, unit, meaning]) => ({
    table_name,
    column_name,
    unit,
    meaning,
  }));
  insertRows(database, 'README', readme);
  insertRows(database, 'meta', metaRows(trace));
  writeHardware(database, trace);
  writeClocks(database, trace);
  insertRows(
    database,
    'job',
    trace.jobs.map(({ name }, id) => ({ id, name })),
  );
  writeTasks(database, trace);
  writeTexts(database, trace);
  insertRows(database, 'stack', stackRows(trace.stacks));
  insertRows(database, 'frame', frameRows(trace.stacks));
  insertRows(database, 'provenance', provenanceRows(trace));
  writeFindings(database, trace);
  const notices = trace.notices.map(({ level, text }) => ({ level, text }));
  insertRows(database, 'notice', notices);
  const capabilities = trace.capabilities.map(({ name, available, detail }) => ({
    name,
    available: available ? 1 : 0,
    detail,
  }));
  insertRows(database, 'capability', capabilities);
}
