import type { DatabaseSync } from 'node:sqlite';
import type { Gpu, Host } from '../../../shared/model/trace.ts';
import {
  columnNames,
  columnOr,
  integer,
  readRows,
  text,
  textColumn,
} from '../../sqlite/read-table.ts';

/** One run of `ingero trace`. */
export interface Session {
  readonly startedUnixNs: bigint;
  /** 0 where the run was cut off. */
  readonly stoppedUnixNs: bigint;
  readonly recorder: string | undefined;
  readonly host: Host;
  readonly gpus: readonly Gpu[];
}

const MAX_SESSIONS = 10_000;
const textColumns = [
  'gpu_model',
  'gpu_driver',
  'cpu_model',
  'kernel',
  'os_release',
  'cuda_ver',
  'python_ver',
  'ingero_ver',
  'node',
] as const;
type TextColumn = (typeof textColumns)[number];

/** The sessions in the file, oldest first. */
export function readSessions(database: DatabaseSync): Session[] {
  const columns = columnNames(database, 'sessions');
  if (!columns.has('started_at')) return [];
  const numbers = ['stopped_at', 'cpu_cores', 'mem_total'].map((name) =>
    columnOr(columns, name, '0'),
  );
  const texts = textColumns.map((name) => textColumn(columns, name));
  const sql = `SELECT started_at, ${[...numbers, ...texts].join(', ')} FROM sessions LIMIT ${MAX_SESSIONS}`;
  const sessions: Session[] = [];
  for (const [started, stopped, cores, memory, ...cells] of readRows(database, sql)) {
    if (typeof started !== 'bigint') continue;
    const words = new Map(textColumns.map((name, at) => [name, text(cells[at]).trim()]));
    sessions.push({
      startedUnixNs: started,
      stoppedUnixNs: typeof stopped === 'bigint' ? stopped : 0n,
      recorder: words.get('ingero_ver') || undefined,
      host: hostOf(words, integer(cores) ?? 0, integer(memory) ?? 0),
      gpus: parseGpus(words.get('gpu_model') ?? '', words.get('gpu_driver') ?? ''),
    });
  }
  return sessions.sort((a, b) => (a.startedUnixNs < b.startedUnixNs ? -1 : 1));
}

function hostOf(words: ReadonlyMap<TextColumn, string>, cpuCount: number, memoryMib: number): Host {
  const named = <K extends string>(key: K, column: TextColumn) => {
    const value = words.get(column);
    return value ? ({ [key]: value } as Record<K, string>) : undefined;
  };
  return {
    ...named('hostname', 'node'),
    ...named('os', 'os_release'),
    ...named('kernel', 'kernel'),
    ...named('cpuModel', 'cpu_model'),
    ...named('cudaVersion', 'cuda_ver'),
    ...named('pythonVersion', 'python_ver'),
    ...(cpuCount > 0 ? { cpuCount } : {}),
    ...(memoryMib > 0 ? { memoryBytes: memoryMib * 2 ** 20 } : {}),
  };
}

/** `NVIDIA GeForce RTX 4090, 24564 MiB`: a line of nvidia-smi's CSV per GPU. */
function parseGpus(models: string, driver: string): Gpu[] {
  return models
    .split(/[;\n\u240a]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, model, mib] = /^(.*), (\d{1,9}) MiB$/.exec(line) ?? [];
      return {
        model: model ?? line,
        ...(mib === undefined ? {} : { memoryBytes: Number(mib) * 2 ** 20 }),
        ...(driver === '' ? {} : { driver }),
      };
    });
}

/** The file's own version of its schema, `0.8`; empty where it has none. */
export function readSchemaVersion(database: DatabaseSync): string {
  const columns = columnNames(database, 'schema_info');
  if (!columns.has('key') || !columns.has('value')) return '';
  const sql = `SELECT ${textColumn(columns, 'value')} FROM schema_info WHERE key = 'version' LIMIT 1`;
  for (const [version] of readRows(database, sql)) return text(version, 64);
  return '';
}
