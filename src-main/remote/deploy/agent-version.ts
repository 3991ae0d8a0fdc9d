import { z } from 'zod';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { parseJson } from '../../shared/text/parse-json.ts';
import { cleanText } from '../../shared/text/text.ts';
import { firstLine } from '../shell/shell-failure.ts';
import { AGENT_PROTOCOL, type AgentBuild } from './agent-build.ts';

const line = (most: number) =>
  z
    .string()
    .max(most)
    .transform((text) => cleanText(text));

const versionLine = z.object({
  agent: line(64),
  protocol: z.number().int(),
  arch: line(16),
});

/** Whether what the agent says of itself is what was put there: `agent-mismatch`, `agent-failed`. */
export function checkVersion(
  said: string,
  build: AgentBuild,
): Result<null, 'agent-mismatch' | 'agent-failed'> {
  const read = versionLine.safeParse(parseJson(said)).data;
  if (read === undefined) {
    const message = `The agent cannot run on this host: “${firstLine(said)}”. Report it to the makers of Stalltrace, with the host's kernel and system.`;
    return fail('agent-failed', message, said.slice(0, 2000));
  }
  const { agent, protocol, arch } = read;
  if (agent === build.version && protocol === AGENT_PROTOCOL && arch === build.arch)
    return ok(null);
  const message = `The agent on the host is ${agent} (${arch}, protocol ${protocol}), and this Stalltrace needs ${build.version} (${build.arch}, protocol ${AGENT_PROTOCOL}): install Stalltrace again.`;
  return fail('agent-mismatch', message);
}
