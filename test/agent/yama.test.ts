import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { openRecording } from '../support/agent/agent.ts';
import {
  agentFolder,
  agentPath,
  cudart,
  query,
  runAgent,
  STACK_FRAMES,
} from '../support/agent/agent-run.ts';
import { NOBODY, withoutRights } from '../support/agent/inside-run.ts';
import { underYama } from '../support/agent/refusals.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/**
 * Under Yama's ptrace_scope 1, as Ubuntu has it, a process is read by those that it comes from alone, and by
 * whom it has made an exception for (one at a time). The agent has its stacks all the same, and takes no
 * exception away from the job.
 */

const PYTHON = '/usr/bin/python3';
const EPERM = 1;
const WAITS = { STALLTRACE_STAND_IN_BLOCK: '1' };

const scratch = mkdtempSync(join(tmpdir(), 'stalltrace-yama-'));
chmodSync(scratch, 0o711);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function freshRun() {
  const above = mkdtempSync(join(scratch, 'run-'));
  chmodSync(above, 0o711);
  const folder = join(above, 'own');
  mkdirSync(folder);
  chownSync(folder, NOBODY, NOBODY);
  const through = [...underYama('1')(above), ...withoutRights(NOBODY)];
  return { folder, through, end: join(folder, 'end'), file: join(folder, 'run.trace.db') };
}

/** Functions of Python that calls were made in. */
function functionsOfCalls(file: string): unknown[] {
  return query(
    file,
    `${STACK_FRAMES} SELECT DISTINCT symbol FROM cuda_call
     JOIN stack_frame USING (stack_id) WHERE language = 'python' ORDER BY symbol`,
  ).map(({ symbol }) => symbol);
}

/** Of a recording that goes on, which nobody else may read: as after a kill. */
function functionsSoFar(file: string): unknown[] {
  const copy = `${file}.copy`;
  for (const part of ['', '-wal'])
    if (existsSync(`${file}${part}`)) copyFileSync(`${file}${part}`, `${copy}${part}`);
  return functionsOfCalls(copy);
}

/** Lets the job end once such are there. */
async function endWithStacks(file: string, end: string): Promise<void> {
  try {
    const options = { timeout: 50_000, interval: 250 };
    await expect.poll(() => functionsSoFar(file), options).toContain('step');
  } finally {
    writeFileSync(end, '');
  }
}

const STEPS = `import ctypes, os, sys, time
cuda = ctypes.CDLL(sys.argv[1])
def step():
    cuda.standInOccupy(ctypes.c_uint64(2000000))
    cuda.cudaStreamSynchronize(None)
latest = time.monotonic() + 60
while not os.path.exists(sys.argv[2]) and time.monotonic() < latest: step()
`;
/** Its parent leaves it at once; COMMAND ends after it. */
const ORPHANED = `("$@" & echo $! >"$0") && pid=$(cat "$0") && while kill -0 $pid; do sleep 0.02; done 2>/dev/null`;

describeWith(['agent', 'root', 'mount', 'reachable'], 'under Yama’s ptrace_scope 1', () => {
  test.concurrent.each([
    ['the job', (job: readonly string[]) => job],
    [
      'what has lost its parent',
      (job: readonly string[], pidFile: string) => ['sh', '-c', ORPHANED, pidFile, ...job],
    ],
  ])('calls of %s have Python’s stacks', async (_, launched) => {
    const { folder, through, end, file } = freshRun();
    const job = [PYTHON, '-c', STEPS, cudart, end];
    const recording = await runAgent(launched(job, join(folder, 'pid')), {
      folder,
      through,
      env: WAITS,
      args: ['--no-bpf', '--inside'],
      meanwhile: () => endWithStacks(file, end),
    });
    expect(recording.code, recording.stderr).toBe(0);
    openRecording(file, folder);
    expect(functionsOfCalls(file)).toEqual(['<module>', 'step']);
  });

  test.concurrent.each([
    ['none', EPERM],
    ['any', 0],
  ])(
    'a running job that lets %s read it is read, and lets the same read it',
    async (own, child) => {
      const { folder, through, end, file } = freshRun();
      const [program = '', ...args] = through;
      const library = join(agentFolder, 'libstalltrace-inside.so');
      const script = join(root, 'test/agent/jobs/own_exception.py');
      const command = [PYTHON, script, agentPath, library, cudart, file, end, own];
      const job = spawn(program, [...args, ...command], {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, ...WAITS },
      });
      const said = text(job.stdout);
      const [[code]] = await Promise.all([once(job, 'close'), endWithStacks(file, end)]);
      expect(code).toBe(0);
      expect(JSON.parse(await said)).toEqual({ line: expect.stringMatching(/^Recorded/), child });
      openRecording(file, folder);
    },
  );
});
