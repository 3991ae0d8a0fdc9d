import { setTimeout } from 'node:timers/promises';
import type { HostError } from '../../shared/remote/connection.ts';
import type { CleanUpReport } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { HostSession } from '../shell/host-session.ts';
import type { RunRecord } from '../state/run-record.ts';
import { runArguments } from './agent-arguments.ts';
import { hasForgotten, type StatusRun } from './agent-lines.ts';
import { runAgent } from './agent-output.ts';
import { findRun, listRuns } from './find-run.ts';
import { LIST_RUN_FOLDERS, REMOVE_BASE, REMOVE_RUN_FOLDER, REMOVE_TRACE } from './host-scripts.ts';

/** Deleting gigabytes takes its time on some file systems. */
const TIMEOUT_MS = 120_000;
/** How often, and after how long, it is tried again to remove what is ours. */
const TRIES = 20;
const RETRY_MS = 250;
/** A command may go on for hours after its capture: that is waited for no longer than a recorder takes to go. */
const COMMAND_TRIES = 5;
const NOT_OURS = 'Stalltrace did not put it there.';

type CleanSession = Pick<HostSession, 'openAgent' | 'runScript'>;
type CleanError = HostError | 'cancelled';

/** What removing has come to; `complete`: nothing of what was to go is left. */
export interface Removed extends CleanUpReport {
  readonly complete: boolean;
}

const NOTHING: Removed = { freedBytes: 0, left: [], complete: true };

/** Removes what a run that is over left on its host: its trace, its output, the agent's notes of it. */
export async function cleanUpRun(
  session: CleanSession,
  record: RunRecord,
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  const found = await findEnded(session, record, signal);
  if (!found.ok) return found;
  if (found.value?.process_alive === true)
    return cleanUpBusy(session, record, found.value.state, signal);
  if (found.value !== undefined) {
    const { run_id: agentRun } = found.value;
    const args = ['status', '--remove', '--json', ...runArguments({ ...record, agentRun })];
    const forgotten = await runAgent(session, args, { asRoot: record.asRoot, signal });
    if (!forgotten.ok) return forgotten;
    if (!hasForgotten(forgotten.value.lines[0], agentRun)) return ok(notesStay(found.value));
  }
  return removeRunFolder(session, record, signal);
}

/** Its recorder says that it has ended a little before its process is gone, on a busy host by seconds. */
async function findEnded(
  session: CleanSession,
  record: RunRecord,
  signal: AbortSignal,
): ReturnType<typeof findRun> {
  const tries = beganCommand(record) ? COMMAND_TRIES : TRIES;
  for (let tried = 1; ; tried++) {
    const found = await findRun(session, record, signal);
    const isGoing = found.ok && found.value?.process_alive === true;
    if (!isGoing || found.value?.state === 'running' || tried === tries) return found;
    // Nobody tells when its process is gone.
    await setTimeout(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

const beganCommand = ({ request }: RunRecord): boolean => request.target.kind === 'command';

/** Removes the folder of a run of which the agent has no notes. */
export function removeRunFolder(
  session: Pick<HostSession, 'runScript'>,
  record: RunRecord,
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  return removeBy(session, REMOVE_RUN_FOLDER, runWords(record), signal);
}

/** The trace stays with them, so that all of it can be cleaned up another time. */
function notesStay({ run_directory: path }: StatusRun): Removed {
  const why = 'the agent could not remove its record of the capture: look at it on the host.';
  return { freedBytes: 0, left: [{ path: cleanText(path), why }], complete: false };
}

/** Of a run whose command still writes its output there the trace, which is the large part, can go. */
async function cleanUpBusy(
  session: CleanSession,
  record: RunRecord,
  state: string,
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  const path = runFolder(record);
  if (state === 'running') {
    const why = 'the capture still runs: stop it first.';
    return ok({ freedBytes: 0, left: [{ path, why }], complete: false });
  }
  const removed = await removeBy(session, REMOVE_TRACE, runWords(record), signal);
  if (!removed.ok) return removed;
  const why = beganCommand(record)
    ? 'the command that it began still runs and writes its output there: clean up once it has ended.'
    : 'the recorder has not ended yet: clean up again in a moment.';
  return ok({ ...removed.value, left: [...removed.value.left, { path, why }], complete: false });
}

/** $1 … of the scripts that remove what is a run's. */
function runWords({ baseFolder, id, traceFile }: RunRecord): readonly string[] {
  return [baseFolder, id, traceFile.split('/').at(-1) ?? ''];
}

/**
 * Removes the agent and our folders from a host where no capture, ours or of another Stalltrace, is
 * left that needs them.
 */
export async function removeAgent(
  session: CleanSession & Pick<HostSession, 'baseFolders' | 'privilege'>,
  asRoot: boolean,
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  const runs = await listRuns(session, { asRoot }, signal);
  if (!runs.ok) return runs;
  const alive = runs.value.runs.find(
    ({ process_alive, run }) =>
      process_alive && session.baseFolders.some((base) => run?.file.startsWith(`${base}/`)),
  );
  const [base = ''] = session.baseFolders;
  if (alive !== undefined) return ok(agentStays(base, NEEDED));
  if (runs.value.leftOut > 0) return ok(agentStays(base, NOT_ALL_LISTED));
  return removeBases(session, session.baseFolders, signal);
}

/** Removes folders of ours, with the agents in them; those that captures are in stay. */
export async function removeBases(
  session: Pick<HostSession, 'runScript'>,
  bases: readonly string[],
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  let all = NOTHING;
  for (const base of bases) {
    const removed = await removeBase(session, base, signal);
    if (!removed.ok) return removed;
    all = {
      freedBytes: all.freedBytes + removed.value.freedBytes,
      left: [...all.left, ...removed.value.left],
      complete: all.complete && removed.value.complete,
    };
  }
  return ok(all);
}

/**
 * What was cut off on the host may still be at work: an upload puts the agent into its place, an agent
 * that finds its capture's place gone removes its notes. It has ended soon.
 */
async function removeBase(
  session: Pick<HostSession, 'runScript'>,
  base: string,
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  let freedBytes = 0;
  for (let tries = 1; ; tries++) {
    const removed = await removeBy(session, REMOVE_BASE, [base], signal);
    if (!removed.ok) return removed;
    freedBytes += removed.value.freedBytes;
    const isOurs = removed.value.left.some(({ path }) => whatOfOurs(base, path) !== undefined);
    if (!isOurs || tries === TRIES) return ok({ ...removed.value, freedBytes });
    // Nobody tells when what is at work there has ended.
    await setTimeout(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Why what stays is there, where it is ours by its place and name. */
function whatOfOurs(base: string, path: string): string | undefined {
  if (!path.startsWith(`${base}/`)) return undefined;
  const below = path.slice(base.length + 1);
  if (/^runs\/[0-9a-f]{16}(\/|$)/.test(below))
    return 'the agent’s record of a capture whose folder is gone: remove it once that capture has ended.';
  if (/^agent\/[^/]+\/\.?stalltrace-agent[^/]*$/.test(below))
    return 'the agent was just put there: clean up again.';
  return undefined;
}

const NEEDED = 'another capture on this host still needs the agent.';
const NOT_ALL_LISTED =
  'the agent knows more captures than it lists, and one may still need it: check the host again, which says how to forget them.';

function agentStays(path: string, why: string): Removed {
  return { freedBytes: 0, left: [{ path, why }], complete: false };
}

/** Folders of captures in ours on a host that are not among `known`: another Stalltrace's. */
export async function foreignRuns(
  session: Pick<HostSession, 'runScript' | 'baseFolder'>,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Result<CleanUpReport['left'], CleanError>> {
  const ran = await session.runScript(LIST_RUN_FOLDERS, [session.baseFolder], { signal });
  if (!ran.ok) return ran;
  const ids = ran.value.stdout.split('\n').flatMap((line) => /^run (.+)$/.exec(line)?.[1] ?? []);
  const why = 'a capture of another Stalltrace: clean it up with that one.';
  return ok(
    ids
      .filter((id) => !known.has(id))
      .map((id) => ({ path: cleanText(`${session.baseFolder}/captures/${id}`), why })),
  );
}

async function removeBy(
  session: Pick<HostSession, 'runScript'>,
  script: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<Result<Removed, CleanError>> {
  const ran = await session.runScript(script, words, { signal, timeoutMs: TIMEOUT_MS });
  if (!ran.ok) return ran;
  const { stdout, stderr } = ran.value;
  const base = words[0] ?? '';
  let freedBytes = 0;
  const left: { readonly path: string; readonly why: string }[] = [];
  let isDone = false;
  for (const line of stdout.split('\n')) {
    const [, word = '', rest = ''] = /^(\w+) ?(.*)$/.exec(line) ?? [];
    if (word === 'freed' && /^\d{1,15}$/.test(rest)) freedBytes += Number(rest);
    else if (word === 'left')
      left.push({ path: cleanText(rest), why: whatOfOurs(base, rest) ?? NOT_OURS });
    else if (word === 'refused') left.push({ path: base, why: `${cleanText(rest, 200)}.` });
    else if (word === 'used') left.push({ path: base, why: 'it still holds captures.' });
    else if (word === 'done' || word === 'gone') isDone = true;
  }
  if (!isDone && left.length === 0)
    return fail(
      'agent-failed',
      `Not all of ${base} could be removed: look at it on the host, and clean up again.`,
      stderr,
    );
  // A folder stays for what is in it: that is named.
  const named = left.filter(({ path }) => !left.some((other) => other.path.startsWith(`${path}/`)));
  return ok({ freedBytes, left: named.slice(0, 100), complete: isDone && left.length === 0 });
}

function runFolder({ baseFolder, id }: RunRecord): string {
  return `${baseFolder}/captures/${id}`;
}
