import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import {
  agentFolder,
  agentPath,
  cudart,
  event,
  query,
  type Recording,
  standIn,
  value,
} from '../support/agent/agent-run.ts';
import {
  expectExactCalls,
  launches,
  ROUNDS,
  RUNTIME,
  THREADS,
} from '../support/agent/exact-calls.ts';
import { createSshUser } from '../support/remote/ssh-user.ts';
import { describeWith } from '../support/requirements.ts';

/** A job that is launched gets the library inside by itself, beside BPF too: each call is stored once. */

const count = [standIn('calls'), 'count', String(ROUNDS), String(THREADS)];
const cuda = standIn('libcuda.so.1');
const driver = { STALLTRACE_STAND_IN_DRIVER: cuda };
/** Probed before the job maps them: nothing is missed. */
const probed = ['--library', cudart, '--library', cuda];
const COPY = 2;

function provenance(file: string, table: string): { kind?: unknown; note?: unknown } {
  const [row] = query(
    file,
    `SELECT kind, note FROM provenance WHERE table_name = '${table}' AND column_name = ''`,
  );
  return row ?? {};
}

function notices(file: string): string {
  return query(file, 'SELECT text FROM notice')
    .map(({ text }) => String(text))
    .join('\n');
}

function gpuWork({ file }: Recording): unknown {
  return value(file, `SELECT count(call_id) FROM gpu_work WHERE kind = ${COPY}`);
}

function sourceOf(recording: Recording, name: string): unknown {
  const sources = event(recording, 'started')?.sources as { name: string }[];
  return sources.find((each) => each.name === name);
}

describeWith(['agent', 'bpf'], 'a launched job, recorded with BPF and from inside', () => {
  test('has each call once, what the GPU did, and who held the CPU', async () => {
    const recording = await record(count, { args: probed });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    expectExactCalls(recording);
    expect(gpuWork(recording)).toBe(16 * ROUNDS * THREADS);
    expect(event(recording, 'started')).toMatchObject({ mode: 'full' });
    expect(sourceOf(recording, 'gpu_work')).toMatchObject({ wanted: true, available: true });
    expect(provenance(recording.file, 'gpu_work').kind).toBe('exact');
    expect(provenance(recording.file, 'off_cpu').kind).toBe('exact');
    expect(provenance(recording.file, 'cuda_call')).toEqual({
      kind: 'exact',
      note: expect.stringMatching(/each once: from inside .* by BPF's probes/),
    });
    const twice = 'SELECT count(*) - count(DISTINCT tid) FROM thread WHERE tid > 0';
    expect(value(recording.file, twice)).toBe(0);
    expect(value(recording.file, 'SELECT count(*) FROM gap')).toBe(0);
  });

  test('counts launches above a rate once', async () => {
    const command = [standIn('calls'), 'launches', '50000', '0.5'];
    const recording = await record(command, { args: probed });
    expectWhole(recording);
    const { launches: made } = recording.report() as { launches: number };
    expect(launches(recording.file, RUNTIME)).toEqual({ cudaLaunchKernel: made });
  });

  test('has the call in which CUDA was initialised from its begin, with what it called', async () => {
    const script = [
      'import ctypes, sys',
      'cuda, out = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()',
      'for _ in range(3): cuda.cudaMalloc(ctypes.byref(out), ctypes.c_size_t(4096))',
    ].join('\n');
    const recording = await record(['python3', '-c', script, cudart], {
      args: probed,
      env: driver,
    });
    expectWhole(recording);
    const rows = query(
      recording.file,
      `SELECT name.text AS op, correlation, return_code AS code, stack_id IS NOT NULL AS stack,
         parent_call_id = (SELECT min(call_id) FROM cuda_call
           WHERE start_ns = (SELECT min(start_ns) FROM cuda_call)) AS within,
         start_ns <= (SELECT start_ns FROM cuda_call JOIN name ON name.id = op_id
           WHERE name.text = 'cuInit') AS first
       FROM cuda_call JOIN name ON name.id = op_id ORDER BY start_ns`,
    ).map((row) => Object.values(row));
    expect(rows).toEqual([
      ['cudaMalloc', 1, 0, 1, null, 1],
      ['cuInit', null, 0, expect.any(Number), 1, 1],
      ['cudaMalloc', 2, 0, 1, null, 0],
      ['cudaMalloc', 3, 0, 1, null, 0],
    ]);
  });

  test('has its calls by BPF where CUPTI is another’s', async () => {
    const env = { STALLTRACE_STAND_IN_CUPTI: 'taken' };
    const recording = await record(count, { args: probed, env });
    expectWhole(recording);
    expectExactCalls(recording);
    expect(provenance(recording.file, 'cuda_call').kind).toBe('exact');
    expect(provenance(recording.file, 'gpu_work').kind).toBe('absent');
    expect(notices(recording.file)).toMatch(
      /what the GPU did was not recorded from inside, because another profiler holds CUPTI/,
    );
  });

  test('has its calls by BPF again once a profiler of its own begins', async () => {
    const recording = await record([standIn('profiled'), '30'], { args: probed });
    expect(recording.stdout).toBe('90 copies, 30 records, 30 in its time\n');
    const copies = value(
      recording.file,
      "SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id WHERE text = 'cudaMemcpyAsync'",
    );
    expect(copies).toBeGreaterThanOrEqual(30);
    expect(gpuWork(recording)).toBe(30);
    expect(notices(recording.file)).toMatch(
      /what its GPU does from then on is not recorded\. .*--no-cupti/,
    );
    expect(provenance(recording.file, 'cuda_call').kind).toBe('partial');
  });
});

describeWith(['agent', 'sshServer', 'bpf'], 'a job launched with --sudo', () => {
  test('is started by its user’s half with the library, and recorded by root’s', async () => {
    const user = await createSshUser({ sudo: 'free' });
    onTestFinished(() => user.remove());
    const file = join(user.home, 'x.trace.db');
    // Not in /tmp, where the next user of that number would find it.
    const where = ['--run-dir', join(user.home, 'runs'), '--out', file];
    const words = [agentPath, 'record', '--sudo', ...probed, ...where, '--', ...count];
    const ran = spawnSync('/usr/sbin/runuser', ['-u', user.name, '--', ...words], {
      cwd: user.home,
      env: { HOME: user.home, PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    });
    expect(ran.status, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ rounds: ROUNDS });
    const work = `SELECT count(call_id) FROM gpu_work WHERE kind = ${COPY}`;
    expect(value(file, work)).toBe(16 * ROUNDS * THREADS);
    expect(provenance(file, 'off_cpu').kind).toBe('exact');
  });
});

describeWith(['agent'], 'a launched job', () => {
  const environment = ['sh', '-c', 'echo "$CUDA_INJECTION64_PATH"'];
  const args = ['--no-bpf'];

  test('gets the library without being asked, and without CUDA nothing is claimed', async () => {
    const recording = await record(environment, { args });
    expect(recording.stdout).toBe(`${join(agentFolder, 'libstalltrace-inside.so')}\n`);
    expect(provenance(recording.file, 'gpu_work').kind).toBe('absent');
    expect(notices(recording.file)).not.toMatch(/inside|CUDA/);
  });

  test('does not get it with --no-inside', async () => {
    const recording = await record(environment, { args: [...args, '--no-inside'] });
    expect(recording.stdout).toBe('\n');
    expect(provenance(recording.file, 'gpu_work')).toEqual({
      kind: 'absent',
      note: 'Not wanted: --no-inside.',
    });
    expect(sourceOf(recording, 'gpu_work')).toMatchObject({ wanted: false, available: false });
  });

  test('keeps the profiler that it brings, and the trace says so', async () => {
    const env = { CUDA_INJECTION64_PATH: '/opt/another/profiler.so' };
    const recording = await record(environment, { args, env });
    expect(recording.code).toBe(0);
    expect(recording.stdout).toBe('/opt/another/profiler.so\n');
    expect(notices(recording.file)).toMatch(
      /CUDA_INJECTION64_PATH is \/opt\/another\/profiler\.so\. Unset it to have CUDA calls and what the GPU did recorded from inside\./,
    );
  });

  test('has the library put beside the agent, where there is none or another one', () => {
    const folder = scratchFolder();
    const alone = join(folder, 'stalltrace-agent');
    const library = join(folder, 'libstalltrace-inside.so');
    copyFileSync(agentPath, alone);
    for (const round of [1, 2]) {
      const out = ['--out', join(folder, `${round}.trace.db`)];
      const ran = spawnSync(alone, ['record', ...args, ...out, '--', ...environment], {
        encoding: 'utf8',
      });
      expect([ran.status, ran.stdout]).toEqual([0, `${library}\n`]);
      const built = readFileSync(join(agentFolder, 'libstalltrace-inside.so'));
      expect(readFileSync(library).equals(built)).toBe(true);
      writeFileSync(library, 'of another version');
    }
  });
});
