import type { HostError } from '../../shared/remote/connection.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Link } from '../link/link.ts';
import type { FoundPrivilege } from './find-privilege.ts';
import type { AgentChannel, HostSession, ScriptOutput } from './host-session.ts';
import { type EndedProgram, openProgram } from './open-program.ts';
import { runScript } from './run-script.ts';
import { firstLine } from './shell-failure.ts';
import { readSudo } from './sudo-words.ts';
import { transportOf } from './transport-of.ts';

/** A capture whose probes are attached one by one begins within seconds. */
const FIRST_LINE_MS = 90_000;

type Failed = HostError | 'cancelled';

/** What a session's agent and scripts are run with. */
export type HostCommands = Pick<HostSession, 'openAgent' | 'runScript'>;

export function hostCommands(link: Link, agentPath: string, found: FoundPrivilege): HostCommands {
  return {
    openAgent: (args, options) => openAgent(link, agentPath, found, args, options),
    runScript: (script, words, options) => runOverLink(link, script, words, options),
  };
}

async function runOverLink(
  link: Link,
  script: string,
  words: readonly string[],
  options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<Result<ScriptOutput, Failed>> {
  const transport = await transportOf(link, options.signal);
  return transport.ok ? runScript(transport.value, script, words, options) : transport;
}

async function openAgent(
  link: Link,
  agentPath: string,
  found: FoundPrivilege,
  args: readonly string[],
  { asRoot, signal, whenFull }: Parameters<HostSession['openAgent']>[1],
): Promise<Result<AgentChannel, Failed>> {
  const hasRoot = found.privilege === 'root' || found.elevation.kind !== 'none';
  if (asRoot && !hasRoot) {
    const message = `${found.why ?? 'Root’s rights cannot be had on this host.'} ${found.next ?? ''}`;
    return fail('no-permission', message.trim());
  }
  const transport = await transportOf(link, signal);
  if (!transport.ok) return transport;
  const opened = await openProgram(transport.value, [agentPath, ...args], {
    elevation: asRoot ? found.elevation : { kind: 'none' },
    signal,
    timeoutMs: FIRST_LINE_MS,
    whenFull,
  });
  if (!opened.ok) return opened;
  if (opened.value.kind === 'open') return ok(opened.value.channel);
  return { ok: false, error: whyEnded(opened.value, args) };
}

function whyEnded(ended: EndedProgram, args: readonly string[]): Failure<HostError> {
  const { stderr, exit } = ended;
  const says = readSudo(stderr);
  if (ended.kind === 'wrong-password' || says?.kind === 'wrong-password') {
    const message = 'sudo does not take the password any more: check this host again.';
    return { code: 'no-permission', message, detail: stderr };
  }
  if (says?.kind === 'refuses') {
    return { code: 'no-permission', message: `${says.why} ${says.next}`, detail: stderr };
  }
  if (says?.kind === 'wants-password') {
    const message = 'sudo wants a password now: check this host again to give it.';
    return { code: 'no-permission', message, detail: stderr };
  }
  if (isNotStarted(ended)) {
    const message = `The agent cannot be started on the host (“${firstLine(stderr)}”): check the host again, which reinstalls it.`;
    return { code: 'agent-failed', message, detail: `${NOT_STARTED}: ${stderr}` };
  }
  const how = exit.signal === undefined ? `code ${exit.code}` : `signal ${exit.signal}`;
  const message = `The agent ended without an answer to “${args[0]}” (${how}; “${firstLine(stderr)}”): try again.`;
  return { code: 'agent-failed', message, detail: stderr };
}

const NOT_STARTED = 'not started';

/** Of the shell, `env` and sudo: 126 or 127 without a word of the agent's. */
function isNotStarted({ exit, stderr }: EndedProgram): boolean {
  return (
    exit.code === 126 ||
    exit.code === 127 ||
    /^sudo: .*(command not found|unable to execute|permission denied)/im.test(stderr)
  );
}

/** Whether `openAgent` failed because the agent can't be executed where it stands, by these rights. */
export function couldNotStart(failure: Failure<Failed>): boolean {
  return failure.code === 'agent-failed' && failure.detail?.startsWith(NOT_STARTED) === true;
}
