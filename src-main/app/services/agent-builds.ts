import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { AgentBuilds } from '../../shared/contract/app-calls.ts';

const builds = z.object({
  built: z.array(
    z.object({
      arch: z.string(),
      path: z.string(),
      bytes: z.number(),
      version: z.string(),
    }),
  ),
  missing: z.array(z.object({ arch: z.string(), why: z.string(), next: z.string() })),
});

const NOT_LOOKED_FOR: AgentBuilds = {
  built: [],
  missing: [
    {
      arch: 'x64, arm64',
      why: 'this installation came without it',
      next: 'install one that has it, or run "node scripts/build-agent.mjs" in a checkout of the sources',
    },
  ],
};

/** Which capture agents this installation has; what scripts/build-agent.mjs wrote of them. */
export async function readAgentBuilds(statusFile: string | undefined): Promise<AgentBuilds> {
  if (statusFile === undefined) return NOT_LOOKED_FOR;
  const text = await readFile(statusFile, 'utf8').catch(() => undefined);
  if (text === undefined) return NOT_LOOKED_FOR;
  try {
    return builds.parse(JSON.parse(text));
  } catch {
    return NOT_LOOKED_FOR;
  }
}
