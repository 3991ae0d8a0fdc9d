import type { Host } from '../../../shared/model/trace.ts';
import { cleanText } from '../../../shared/text/text.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, textOf } from './export-tables.ts';

const LENGTH = 200;

/**
 * Of what the export knows of the machine and of whoever exported it, only these: the rest holds the environment,
 * names of users and paths, and is none of a report's business. `KernelVersion` is when a kernel was built
 * (`uname -v`), not which it is. `CudaDriverVersion` follows from the driver, and is not what the job was built for.
 */
const WANTED = ['Hostname', 'OsDescription', 'CpuDescription', 'CpuCores', 'NvDriverVersion'];

export interface Session {
  readonly host: Host;
  /** Of all GPUs: `570.172.08`. */
  readonly driver: string | undefined;
  readonly beginUnixNs: number;
  /** `2025.1.3.140 (schema 3.17.2)`. */
  readonly version: string;
}

export function readSession(tables: ExportTables): Session {
  const system = pairs(tables, 'TARGET_INFO_SYSTEM_ENV', new Set(WANTED));
  const cores = Number(system.get('CpuCores') ?? Number.NaN);
  const host: Host = {
    ...told('hostname', system.get('Hostname')),
    ...told('os', system.get('OsDescription')),
    ...told('cpuModel', system.get('CpuDescription')),
    ...(Number.isSafeInteger(cores) && cores > 0 && { cpuCount: cores }),
  };
  let beginUnixNs = 0;
  for (const [utc] of tables.rows('TARGET_INFO_SESSION_START_TIME', ['utcEpochNs']))
    beginUnixNs = epochOf(utc) ?? beginUnixNs;
  const driver = driverVersion(system.get('NvDriverVersion') ?? '');
  return { host, driver, beginUnixNs, version: versionOf(tables) };
}

/** Of 2022 and 2023 exports have it without dots: `52510517` is 525.105.17. */
function driverVersion(text: string): string | undefined {
  const [, ...parts] = /^(\d{3})(\d{2,3})(\d{2})$/.exec(text) ?? [];
  if (parts.length > 0) return parts.join('.');
  return /^\d{2,4}(?:\.\d{1,4}){1,3}$/.test(text) ? text : undefined;
}

/** Nsight Systems writes `unknown` where it could not find out. */
function told<Key extends string>(key: Key, value: string | undefined) {
  return value === undefined || value === '' || value === 'unknown' ? {} : { [key]: value };
}

/** Beyond 2^53 it comes as the nearest float: to a quarter of a microsecond. */
function epochOf(cell: Cell | undefined): number | undefined {
  return typeof cell === 'number' && Number.isFinite(cell) && cell >= 0 && cell < 2 ** 63
    ? cell
    : undefined;
}

function versionOf(tables: ExportTables): string {
  const names = new Set(['EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION']);
  const all = ['META_DATA_EXPORT', 'EXPORT_META_DATA'].map((table) => pairs(tables, table, names));
  const find = (name: string) => all.map((found) => found.get(name)).find((value) => value);
  const [product, schema] = [find('EXPORT_PRODUCT_VERSION'), find('EXPORT_SCHEMA_VERSION')];
  return [product, schema && `(schema ${schema})`].filter((part) => part).join(' ');
}

/** The wanted rows of a table of names and values. */
function pairs(tables: ExportTables, table: string, wanted: ReadonlySet<string>) {
  const found = new Map<string, string>();
  const columns = [textOf('name', LENGTH), textOf('value', LENGTH), 'value'];
  for (const [name, text, number] of tables.rows(table, columns)) {
    if (typeof name !== 'string' || !wanted.has(name)) continue;
    const value = typeof text === 'string' ? text : integerOr(number, undefined)?.toString();
    if (value !== undefined) found.set(name, cleanText(value, LENGTH));
  }
  return found;
}
