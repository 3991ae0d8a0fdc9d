import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../support/agent/agent.ts';
import { agentPath } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly detail: string;
}

/** A library by the runtime's name, of one function that begins with `instruction`. */
function runtimeBeginningWith(instruction: string): string {
  const folder = scratchFolder();
  const library = join(folder, 'libcudart.so.12');
  const source = `.globl cudaMalloc\n.type cudaMalloc,@function\ncudaMalloc: ${instruction}\nret\n.size cudaMalloc,.-cudaMalloc\n`;
  writeFileSync(join(folder, 'runtime.s'), source);
  const built = spawnSync('gcc', ['-shared', '-o', library, join(folder, 'runtime.s')]);
  expect(built.status, String(built.stderr)).toBe(0);
  return library;
}

async function costsWhileMapped(library: string): Promise<Check | undefined> {
  const job = spawn('sleep', ['60'], { env: { ...process.env, LD_PRELOAD: library } });
  try {
    const maps = () => readFileSync(`/proc/${job.pid}/maps`, 'utf8');
    await expect.poll(maps).toContain(library);
    const { stdout } = spawnSync(agentPath, ['check', '--json'], { encoding: 'utf8' });
    const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
    return checks.find(({ id }) => id === 'slow_probes');
  } finally {
    job.kill('SIGKILL');
    await once(job, 'exit');
  }
}

describeWith(['agent', 'root', 'x64'], 'the cost of probes', () => {
  test('of a function that the kernel must single-step is told before a capture', async () => {
    const library = runtimeBeginningWith('sub $8,%rsp\nadd $8,%rsp');
    const costs = await costsWhileMapped(library);
    expect(costs?.status).toBe('warn');
    expect(costs?.detail).toContain(`1 of 1 in ${library}`);
  });

  test('of one that begins as compilers have it is none', async () => {
    const library = runtimeBeginningWith('push %rbp\npop %rbp');
    expect((await costsWhileMapped(library))?.detail ?? '').not.toContain(library);
  });
});
