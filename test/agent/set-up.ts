import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentFolder, standIn } from '../support/agent-run.ts';
import { root } from '../support/built.ts';

/** Builds what the tests record, where there is an agent to record it with. */
export default function setUp(): void {
  if (!existsSync(agentFolder)) return;
  const folder = join(root, 'test/cuda-stand-in');
  const { status } = spawnSync('make', ['-s', '-j2', '-C', folder, `OUT=${standIn('')}`], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the stand-in for CUDA could not be built');
}
