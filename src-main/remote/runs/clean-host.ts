import { posix } from 'node:path';
import type { HostError } from '../../shared/remote/connection.ts';
import type { CleanUpReport } from '../../shared/remote/run.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import {
  cleanUpRun,
  foreignRuns,
  type Removed,
  removeAgent,
  removeRunFolder,
} from '../capture/clean-up.ts';
import type { Connection } from '../connection/connections.ts';
import type { HostSession } from '../shell/host-session.ts';
import type { RunRecord } from '../state/run-record.ts';
import { isUnended } from './follow-run.ts';
import type { HeldRun, HeldRuns } from './held-runs.ts';
import type { RunServices } from './run-services.ts';

interface CleanOptions {
  readonly run: HeldRun;
  readonly keepAgent: boolean;
  readonly signal: AbortSignal;
}

type CleanError = HostError | 'cancelled';

/**
 * Removes what a run that is done with left on its host, the agent with it where no other capture needs
 * it, and takes the run off the list once nothing is left.
 */
export async function cleanHost(
  services: RunServices,
  connection: Connection,
  session: HostSession,
  { run, keepAgent, signal }: CleanOptions,
): Promise<Result<CleanUpReport, CleanError>> {
  const cleaned = await cleanRun(services.runs, session, run, signal);
  if (!cleaned.ok || !cleaned.value.complete) return cleaned;
  const staying = (why: string) => ok(withAgent(cleaned.value, session, why));
  if (keepAgent) return staying('the agent stays for the next capture, as you chose.');
  if (await isAgentNeeded(services, connection, session))
    return staying(
      'other captures on this host still need the agent: it is removed with the last of them.',
    );
  const removed = await removeAgentOf(services, connection, session, signal);
  if (!removed.ok) return staying('the agent could not be removed: clean up there.');
  return ok(sum(cleaned.value, removed.value));
}

async function cleanRun(
  runs: HeldRuns,
  session: HostSession,
  run: HeldRun,
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  const cleaned = await cleanUpRun(session, run.record, signal);
  if (!cleaned.ok) return cleaned;
  const { complete, left } = cleaned.value;
  const phase = run.record.phase === 'abandoned' ? 'abandoned' : 'cleaned';
  if (complete) await runs.remove(run, { phase, tone: 'ok', bytesOnHost: 0 });
  else
    await runs.change(run, {
      tone: 'warn',
      message: `Something is left on the host: ${left[0]?.path ?? ''}: ${left[0]?.why ?? ''}`,
    });
  return cleaned;
}

/** Everything of ours on a host that no capture needs: of runs that are done with, and the agent. */
export async function cleanUpHost(
  services: RunServices,
  connection: Connection,
  session: HostSession,
  signal: AbortSignal,
): Promise<Result<CleanUpReport, CleanError>> {
  const { runs } = services;
  let all: CleanUpReport = { freedBytes: 0, left: [] };
  const records = await recordsOf(services, session);
  for (const record of records.filter(isDoneWith)) {
    const holding = await runs.hold(record.id);
    // Another Stalltrace has it in hand, and cleans it up.
    if (!holding.ok) continue;
    const cleaned = await cleanRun(runs, session, holding.value, signal);
    if (!cleaned.ok) return cleaned;
    if (!cleaned.value.complete && holding.value.connection === undefined)
      await runs.release(holding.value);
    all = sum(all, cleaned.value);
  }
  const known = [...records, ...services.runs.cutOff()].map(({ id }) => id);
  const foreign = await foreignRuns(session, new Set(known), signal);
  if (!foreign.ok) return foreign;
  all = { ...all, left: [...all.left, ...foreign.value] };
  if (await isAgentNeeded(services, connection, session))
    return ok(
      withAgent(
        all,
        session,
        'a capture still needs the agent: bring its trace back, or abandon it.',
      ),
    );
  const removed = await removeAgentOf(services, connection, session, signal);
  return removed.ok ? ok(sum(all, removed.value)) : removed;
}

/** `why`: why the agent's folder stays. */
function withAgent(report: CleanUpReport, { baseFolder }: HostSession, why: string): CleanUpReport {
  return { ...report, left: [...report.left, { path: baseFolder, why }] };
}

/** Leaves nothing on a host that was looked at, and on which nothing was captured. */
export async function leaveHost(
  services: RunServices,
  connection: Connection,
  signal: AbortSignal,
): Promise<void> {
  const { session } = connection;
  if (session === undefined || connection.keepAgent || !session.preflight.agent.uploaded) return;
  if (connection.link.state.kind !== 'connected') return;
  if (await isAgentNeeded(services, connection, session)) return;
  await removeAgentOf(services, connection, session, signal);
}

async function removeAgentOf(
  services: RunServices,
  connection: Connection,
  session: HostSession,
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  const asRoot = ['root', 'sudo', 'sudo-password'].includes(session.privilege);
  for (const record of services.runs.cutOff().filter((each) => isOn(session, each))) {
    const late = await removeRunFolder(session, record, signal);
    if (!late.ok) return late;
  }
  const removed = await removeAgent(session, asRoot, signal);
  // The next one looks at the host again, which puts the agent there.
  if (removed.ok && removed.value.freedBytes > 0) connection.session = undefined;
  return removed;
}

/** Whether a run of ours, or another connection of ours, still needs the agent on this host. */
async function isAgentNeeded(
  services: RunServices,
  connection: Connection,
  session: HostSession,
): Promise<boolean> {
  const records = await recordsOf(services, session);
  const others = services.connections
    .all()
    .filter(
      (other) => other.id !== connection.id && other.session?.baseFolder === session.baseFolder,
    )
    .filter(({ link }) => link.connected.address === connection.link.connected.address);
  return records.length > 0 || others.length > 0;
}

/** What is written down of captures on this host, as it runs now or ran before. */
async function recordsOf(
  { runs }: RunServices,
  session: HostSession,
): Promise<readonly RunRecord[]> {
  const records = await runs.store.list();
  return records.filter((record) => isOn(session, record));
}

/** By its boot too, of those who sign in by another address: our folder is named after its user, who has an agent of their own there. */
function isOn({ bootId, baseFolder, link }: HostSession, record: RunRecord): boolean {
  const isOurs = posix.basename(record.baseFolder) === posix.basename(baseFolder);
  return record.address === link.connected.address || (record.bootId === bootId && isOurs);
}

function isDoneWith(record: RunRecord): boolean {
  return ['brought', 'cleaned', 'abandoned'].includes(record.phase) && !isUnended(record);
}

function sum(one: CleanUpReport, other: CleanUpReport): CleanUpReport {
  return {
    freedBytes: one.freedBytes + other.freedBytes,
    left: [...one.left, ...other.left],
  };
}
