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

const status = z.object({
  built: z
    .array(
      z.object({
        arch: z.enum(['x64', 'arm64']),
        path: z.string(),
        version: z.string().regex(/^[0-9A-Za-z.+-]{1,40}$/),
      }),
    )
    .max(8),
});

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

/** The agents of `agentsFolder`, read and hashed; `no-agent-built` where there is none at all. */
export async function readAgentBuilds(
  agentsFolder: string,
): Promise<Result<readonly AgentBuild[], 'no-agent-built'>> {
  try {
    const text = await readFile(join(agentsFolder, 'status.json'), 'utf8');
    const { built } = status.parse(JSON.parse(text));
    const builds = await Promise.all(
      built.map(async ({ arch, path, version }) => {
        const bytes = await readFile(join(agentsFolder, path));
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return { arch, version, bytes, sha256, folder: `agent/${version}-${sha256.slice(0, 12)}` };
      }),
    );
    return builds.length > 0 ? ok(builds) : noAgent();
  } catch (thrown) {
    return noAgent(describeThrown(thrown));
  }
}

function noAgent(detail?: string): Result<never, 'no-agent-built'> {
  const message =
    'This Stalltrace comes without a capture agent: install a released one, or build the agent (docs/agent.md).';
  return fail('no-agent-built', message, detail);
}
