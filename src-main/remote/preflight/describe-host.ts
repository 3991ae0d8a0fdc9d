import {
  PREFLIGHT_GROUPS,
  type Preflight,
  type PreflightRow,
} from '../../shared/remote/preflight.ts';
import { type Findings, itemOf } from './findings.ts';
import { gpuRows, readGpus } from './gpu-rows.ts';
import { kernelRows } from './kernel-rows.ts';
import { captureRows, resourceRows } from './resource-rows.ts';
import { rightsRows } from './rights-rows.ts';
import { judge } from './verdict.ts';
import { wayRows } from './way-rows.ts';

/** Checks that are part of other rows, or of no use to a person. */
const SAID_ELSEWHERE = new Set([
  'architecture',
  'tracefs',
  'perf_event_paranoid',
  'clock',
  'disk',
  'candidates',
  'agents',
]);

/** The table of what was found out about a host, and what it comes to. */
export function describeHost(findings: Findings): Preflight {
  const { look, found, deployed, report, clock, captures } = findings;
  const { build, agentPath, uploaded, traces } = deployed;
  const rows = [
    ...kernelRows(findings),
    ...rightsRows(findings),
    ...wayRows(findings),
    ...gpuRows(report),
    ...resourceRows(findings),
    ...captureRows(findings),
  ];
  return {
    rows: inOrder([...rows, ...otherRows(findings, rows)]),
    ...judge(findings),
    privilege: found.privilege,
    agent: {
      version: build.version,
      arch: build.arch,
      path: agentPath,
      uploaded,
      sizeBytes: build.bytes.length,
    },
    host: {
      hostName: look.hostName,
      kernel: look.kernel,
      cpus: Number(/^(\d+) online/.exec(itemOf(report, 'cpus')?.detail ?? '')?.[1] ?? 0),
      gpus: readGpus(report)?.names ?? [],
      freeBytes: traces.freeBytes ?? 0,
      clockOffsetMs: clock?.offsetMs ?? 0,
    },
    running: captures.running,
  };
}

/** What a newer agent found amiss that no row here speaks of. */
function otherRows({ report }: Findings, rows: readonly PreflightRow[]): PreflightRow[] {
  const known = new Set(rows.map(({ id }) => id));
  const sources = new Set(report.sources.map(({ name }) => name));
  return report.checks.flatMap(({ id, label, status, detail, next }) => {
    const rowId = id.replaceAll('_', '-');
    if (known.has(rowId) || sources.has(id) || SAID_ELSEWHERE.has(id)) return [];
    const isAmiss = status === 'warn' || status === 'fail';
    const row = { group: 'gpu', id: rowId, label, status, detail } as const;
    return isAmiss ? [{ ...row, ...(next !== null && { next }) }] : [];
  });
}

function inOrder(rows: readonly PreflightRow[]): PreflightRow[] {
  const groups = Object.keys(PREFLIGHT_GROUPS);
  return rows.toSorted((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group));
}
