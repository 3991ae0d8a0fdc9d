import type { PreflightRow } from '../../shared/remote/preflight.ts';
import { formatBytes, plural } from '../../shared/text/units.ts';
import { isInMemory, isOverNetwork, placeReasons } from '../deploy/choose-places.ts';
import { quoteWords } from '../shell/quote.ts';
import { type Findings, itemOf, rowOf } from './findings.ts';

/** What a capture of the usual size may take, and what the agent leaves free. */
const LITTLE_ROOM_BYTES = 6 * 1024 ** 3;

export function resourceRows(findings: Findings): PreflightRow[] {
  const { report } = findings;
  return [
    ...rowOf('resources', report, 'cpus', ({ detail }) => ({
      detail: detail.replace('allowed to the agent', 'allowed to this session'),
    })),
    ...rowOf('resources', report, 'cpu_quota', ({ status, detail }) =>
      status === 'ok'
        ? { detail: 'No control group limits it.' }
        : { detail: detail.replace(/the agent’s|the agent's/, 'this session’s') },
    ),
    ...rowOf('resources', report, 'memory'),
    ...rowOf('resources', report, 'shm'),
    diskRow(findings),
  ];
}

function diskRow({ deployed }: Findings): PreflightRow {
  const { traces, baseFolder } = deployed;
  const row = { group: 'resources', id: 'disk', label: 'Room for traces' } as const;
  if (traces.freeBytes === undefined) {
    return {
      ...row,
      status: 'info',
      detail: `Traces go to ${baseFolder}; how much is free is not known.`,
    };
  }
  const where = `${formatBytes(traces.freeBytes)} free in ${baseFolder}`;
  if (isInMemory(traces)) {
    const next =
      'Make a folder on a disk writable, for example ~/.cache: a trace in memory takes it from the job.';
    return { ...row, status: 'warn', detail: `${where}, which is memory.`, next };
  }
  if (traces.freeBytes < LITTLE_ROOM_BYTES) {
    const next =
      'Free some, or choose a smaller size limit; the capture ends before it fills the disk.';
    return {
      ...row,
      status: 'warn',
      detail: `${where}: less than a capture of the usual size may take.`,
      next,
    };
  }
  const network = isOverNetwork(traces) ? `, over a network (${traces.fileSystem})` : '';
  return { ...row, status: 'ok', detail: `${where}${network}.` };
}

export function captureRows(findings: Findings): PreflightRow[] {
  return [agentRow(findings), runningRow(findings), ...leftOutRow(findings)];
}

function agentRow({ deployed, look }: Findings): PreflightRow {
  const { build, agentPath, uploaded } = deployed;
  const size = formatBytes(build.bytes.length);
  const how = uploaded ? 'put there just now' : 'was there already';
  const skipped = placeReasons(look.places, build.bytes.length);
  const others = skipped === '' ? '' : ` Places that were passed over: ${skipped}.`;
  return {
    group: 'captures',
    id: 'agent',
    label: 'Agent',
    status: 'ok',
    detail: `${build.version} for ${build.arch} (${size}), ${how}, its hash checked: ${agentPath}.${others}`,
  };
}

function runningRow({ captures: { running }, report }: Findings): PreflightRow {
  const row = { group: 'captures', id: 'running', label: 'Other captures' } as const;
  const item = itemOf(report, 'agents');
  if (running.length > 0) {
    const texts = running.map(({ ours, text }) =>
      ours ? text : `${text} (not Stalltrace’s over SSH)`,
    );
    return {
      ...row,
      status: 'warn',
      detail: `${plural(running.length, 'capture')} running: ${texts.join('; ')}.`,
      next: 'Two at once cost the job more time: wait for its end, or stop it.',
    };
  }
  if (item?.status === 'warn') {
    const next = 'Ask who started it; two at once cost the job more time.';
    return { ...row, status: 'warn', detail: item.detail, next };
  }
  return { ...row, status: 'ok', detail: 'None is running.' };
}

/** Of a host with the notes of more captures than the agent lists. */
function leftOutRow(findings: Findings): PreflightRow[] {
  const { leftOut } = findings.captures;
  if (leftOut === 0) return [];
  return [
    {
      group: 'captures',
      id: 'captures-left-out',
      label: 'Captures not looked at',
      status: 'warn',
      detail: `The agent knows ${plural(leftOut, 'more capture')} than it lists: the oldest are left out.`,
      next: `Have the agent drop captures that have ended, then check again; their traces stay. On the host: ${forgetCommand(findings)}`,
    },
  ];
}

function forgetCommand({ found, asRoot, deployed }: Findings): string {
  const command = [deployed.agentPath, 'status', '--remove'];
  // Root's notes are in the agent's own folder, a user's beside the traces.
  if (!asRoot) command.push('--run-dir', `${deployed.baseFolder}/runs`);
  if (found.elevation.kind !== 'none') command.unshift('sudo');
  return quoteWords(command);
}
