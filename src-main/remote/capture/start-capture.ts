import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path/posix';
import type { CaptureRequest } from '../../shared/remote/capture-request.ts';
import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import type { RunRecord } from '../state/run-record.ts';
import type { RunStore } from '../state/run-store.ts';
import type { StateError } from '../state/state-file.ts';
import { recordArguments } from './agent-arguments.ts';
import { type AgentLineOf, parseAgentLine } from './agent-lines.ts';
import { exitOf } from './agent-output.ts';
import { MAKE_RUN_FOLDER } from './host-scripts.ts';
import { readLines } from './read-lines.ts';

const LONGEST_PATH = 4096;
/** Loading BPF, and the symbols of a large job. */
const STARTS_WITHIN_MS = 60_000;

export type StartError = 'bad-capture' | StateError | HostError | 'cancelled';

export interface StartOptions {
  readonly store: Pick<RunStore, 'write'>;
  /** What the user calls the host. */
  readonly label: string;
  /** Of what, in words. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly now?: Date;
}

/** A capture that could not be begun; something of it may be on the host. */
export interface NotStarted {
  readonly error: { readonly code: StartError; readonly message: string; readonly detail?: string };
}

/**
 * Begins a capture in the background of the host; settles once it records. It is on this disk before
 * anything of it is on the host, so that one whose beginning was cut off is found again, and cleaned up.
 */
export async function startCapture(
  session: HostSession,
  request: CaptureRequest,
  options: StartOptions,
): Promise<{ readonly started: RunRecord } | NotStarted> {
  const planned = planRun(session, request, options);
  const made = await makePlace(session, planned, options);
  if (!made.ok) return { error: made.error };
  const record = made.value;
  const begun = await begin(session, record, options.signal);
  if (!begun.ok) return { error: begun.error };
  const started: RunRecord = {
    ...record,
    phase: 'recording',
    agentRun: begun.value.run_id,
    runBase: dirname(begun.value.run_directory),
  };
  // Even where the disk is full now the capture runs, and is found again by its trace.
  await options.store.write(started);
  return { started };
}

function planRun(session: HostSession, request: CaptureRequest, options: StartOptions): RunRecord {
  const { link, privilege, baseFolder, clock } = session;
  const id = randomBytes(8).toString('hex');
  const now = options.now ?? new Date();
  const asRoot = privilege === 'root' || privilege === 'sudo' || privilege === 'sudo-password';
  return {
    v: 1,
    id,
    label: options.label,
    address: link.connected.address,
    target: link.host.target,
    bootId: session.bootId,
    ...(clock !== undefined && { clock }),
    startedAt: now.toISOString(),
    what: options.what,
    request,
    baseFolder,
    agentPath: session.agentPath,
    // The user's own folder of runs is gone with their last session, which is ours.
    ...(!asRoot && { runBase: `${baseFolder}/runs` }),
    traceFile: `${baseFolder}/captures/${id}/${traceName(options.label, now)}`,
    asRoot,
    phase: 'starting',
    tone: 'ok',
  };
}

/** `gpu1-20260131-142501.trace.db`: what it is called in the library. */
function traceName(label: string, now: Date): string {
  const host = label
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60);
  const time = now.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${host === '' ? 'capture' : host}-${time}.trace.db`;
}

/** Writes the record down, and makes the run's folder on the host. */
async function makePlace(
  session: HostSession,
  planned: RunRecord,
  { store, signal }: StartOptions,
): Promise<Result<RunRecord, StateError | HostError | 'cancelled'>> {
  const written = await store.write(planned);
  if (!written.ok) return written;
  const made = await makeFolder(session, planned, signal);
  if (!made.ok || made.value.baseFolder === planned.baseFolder) return made;
  const moved = await store.write(made.value);
  return moved.ok ? made : moved;
}

/** With the real path of our folder, by which the agent will call the trace. */
async function makeFolder(
  session: HostSession,
  record: RunRecord,
  signal: AbortSignal,
): Promise<Result<RunRecord, HostError | 'cancelled'>> {
  const { baseFolder, id } = record;
  const ran = await session.runScript(MAKE_RUN_FOLDER, [baseFolder, id], { signal });
  if (!ran.ok) return ran;
  const { stdout, stderr } = ran.value;
  const [, real] = /^made (\/.*)$/m.exec(stdout) ?? [];
  if (real !== undefined && cleanText(real, LONGEST_PATH) === real)
    return ok({
      ...record,
      baseFolder: real,
      traceFile: real + record.traceFile.slice(baseFolder.length),
      ...(record.runBase !== undefined && { runBase: `${real}/runs` }),
    });
  const why = /^refused (.*)$/m.exec(stdout)?.[1] ?? 'it is gone';
  return fail(
    'no-place',
    `The folder ${cleanText(baseFolder)} can't be used on the host (${cleanText(why, 200)}): check the host again.`,
    stderr,
  );
}

async function begin(
  session: HostSession,
  record: RunRecord,
  signal: AbortSignal,
): Promise<Result<AgentLineOf<'detached'>, StartError>> {
  const { userName, loginShell } = session;
  const args = recordArguments(record.request, { ...record, userName, loginShell });
  const opened = await session.openAgent(args, { asRoot: record.asRoot, signal });
  if (!opened.ok) return opened;
  const channel = opened.value;
  const timer = setTimeout(() => channel.close(), STARTS_WITHIN_MS);
  const close = () => channel.close();
  signal.addEventListener('abort', close, { once: true });
  channel.stderr.resume();
  channel.stdin.on('error', () => undefined);
  try {
    return await readBeginning(channel, signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', close);
    channel.close();
  }
}

async function readBeginning(
  channel: AgentChannel,
  signal: AbortSignal,
): Promise<Result<AgentLineOf<'detached'>, StartError>> {
  for await (const text of readLines(channel.stdout)) {
    const line = parseAgentLine(text);
    if (line === 'unknown' || line === 'bad') continue;
    if (line.event === 'detached') return ok(line);
    if (line.event === 'error') return refused(line);
  }
  if (signal.aborted) return fail('cancelled', 'Cancelled.');
  const { code } = await exitOf(channel, signal);
  const said = channel.stderrTail();
  if (code === null)
    return fail(
      'link-lost',
      'The connection was lost while the capture began: connect to the host again to see whether it records.',
      said,
    );
  return fail(
    'agent-failed',
    `The agent on the host ended with code ${code} before it recorded: ${cleanText(said.trim().split('\n').at(-1) ?? '', 400) || 'it said nothing'}.`,
    said,
  );
}

/** What the agent would not do is what was asked for, or what the host does not allow. */
function refused({ code, message, next }: AgentLineOf<'error'>): Result<never, StartError> {
  const words = [message, next].filter((each) => each !== '').join(' ');
  switch (code) {
    case 'usage':
      return fail('bad-capture', `${message} Choose again what is captured, and how.`);
    case 'identity':
    case 'command-not-started':
    case 'interrupted':
      return fail('bad-capture', words);
    case 'sudo':
      return fail('no-permission', words);
    default:
      return fail('agent-failed', words);
  }
}
