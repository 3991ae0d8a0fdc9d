import { USE_SYSTEM_SSH } from '../../shared/remote/system-ssh-words.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { type FileKey, type KeyProblem, loadFileKey, type Unlock } from './file-keys.ts';
import type { SigningKey } from './signing-key.ts';
import { listAgentKeys } from './ssh-agent.ts';

export interface SignInKeys {
  readonly keys: readonly SigningKey[];
  /** Why others can't be used. */
  readonly problems: readonly KeyProblem[];
  /** What is worth knowing when none was taken. */
  readonly notes: readonly string[];
}

/**
 * The keys to try, in OpenSSH's order: those of the agent that are IdentityFiles too, the agent's
 * others unless IdentitiesOnly, then the files.
 */
export async function collectKeys(
  host: ResolvedHost,
  unlock: Unlock,
  signal: AbortSignal,
): Promise<SignInKeys> {
  const agent = await agentKeys(host, signal);
  const files: FileKey[] = [];
  for (const path of host.identityFiles) files.push(await loadFileKey(path, unlock));
  const problems = files.flatMap(({ blob, problem }) =>
    problem === undefined || agent.keys.some((key) => blob?.equals(key.blob)) ? [] : [problem],
  );
  return {
    keys: inOrder(agent.keys, files, host.identitiesOnly),
    problems: [...problems, ...agent.problems],
    notes: agent.notes,
  };
}

function inOrder(
  agent: readonly SigningKey[],
  files: readonly FileKey[],
  identitiesOnly: boolean,
): SigningKey[] {
  const isIn = (key: SigningKey, { blob }: FileKey): boolean => blob?.equals(key.blob) ?? false;
  const both = files.flatMap((file) => agent.filter((key) => isIn(key, file)));
  const others = identitiesOnly ? [] : agent.filter((key) => !both.includes(key));
  const rest = files.flatMap((file) =>
    file.key === undefined || both.some((key) => isIn(key, file)) ? [] : [file.key],
  );
  return [...both, ...others, ...rest];
}

async function agentKeys(
  { agentSocket, identitiesOnly }: ResolvedHost,
  signal: AbortSignal,
): Promise<SignInKeys> {
  if (agentSocket === undefined) return { keys: [], problems: [], notes: [] };
  const listed = await listAgentKeys(agentSocket, signal);
  if (!listed.ok) return { keys: [], problems: [], notes: [listed.error.message] };
  const { usable, unusable } = listed.value;
  const problems = identitiesOnly ? [] : unusable.map(forSystemSsh);
  return { keys: usable, problems, notes: [] };
}

function forSystemSsh(name: string): KeyProblem {
  const message = `Only this machine's ssh can use ${name}: ${USE_SYSTEM_SSH}.`;
  return { code: 'needs-system-ssh', message };
}
