import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';

/** What the agent prints and reads: another one is another language. */
export const AGENT_PROTOCOL = 2;

export type AgentArch = 'x64' | 'arm64';

/** An agent that came with the app. */
export interface AgentBuild {
  readonly arch: AgentArch;
  readonly version: string;
  readonly bytes: Buffer;
  /** Hex. */
  readonly sha256: string;
  /** Below our folder on a host: `agent/‹version›-‹hash›`. */
  readonly folder: string;
}

const build = z.object({
  arch: z.enum(['x64', 'arm64']),
  path: z.string(),
  version: z.string().regex(/^[0-9A-Za-z.+-]{1,40}$/),
  sha256: z.string(),
});
const status = z.object({ built: z.array(build).max(8) });

const ARCHITECTURES: Readonly<Record<string, AgentArch>> = {
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  arm64: 'arm64',
};

/** `machine` is what `uname -m` says. */
export function archOf(machine: string): AgentArch | undefined {
  return ARCHITECTURES[machine];
}

/** The agents of `agentsFolder`, read and hashed; `no-agent-built` where there is none, or one is damaged. */
export async function readAgentBuilds(
  agentsFolder: string,
): Promise<Result<readonly AgentBuild[], 'no-agent-built'>> {
  try {
    const text = await readFile(join(agentsFolder, 'status.json'), 'utf8');
    const { built } = status.parse(JSON.parse(text));
    const read = await Promise.all(built.map((each) => readBuild(agentsFolder, each)));
    const damaged = read.find((each) => !each.ok);
    if (damaged !== undefined) return damaged;
    const builds = read.flatMap((each) => (each.ok ? [each.value] : []));
    return builds.length > 0 ? ok(builds) : noAgent();
  } catch (thrown) {
    return noAgent(describeThrown(thrown));
  }
}

/** It will run on a host, perhaps as root: nothing but what was built goes there. */
async function readBuild(
  agentsFolder: string,
  { arch, path, version, sha256: expected }: z.infer<typeof build>,
): Promise<Result<AgentBuild, 'no-agent-built'>> {
  const file = join(agentsFolder, path);
  const bytes = await readFile(file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === expected)
    return ok({ arch, version, bytes, sha256, folder: `agent/${version}-${sha256.slice(0, 12)}` });
  const message = `${file} is damaged, or was changed after it was built: install Stalltrace again; in a checkout of its sources, remove out/agent and start again.`;
  return fail('no-agent-built', message);
}

function noAgent(detail?: string): Result<never, 'no-agent-built'> {
  const message =
    'This Stalltrace comes without a capture agent: install a released one, or build the agent (docs/agent.md).';
  return fail('no-agent-built', message, detail);
}
