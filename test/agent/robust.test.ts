import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createRandom } from '../simulation/random.ts';
import { openRecording, record, scratchFolder } from '../support/agent/agent.ts';
import {
  cudart,
  event,
  query,
  type Recording,
  standIn,
  value,
} from '../support/agent/agent-run.ts';
import { killOnce } from '../support/agent/kill-agent.ts';
import { jobThatOutlasts } from '../support/agent/outlasting-job.ts';
import { mountSmallDisk, unmountAll } from '../support/mount.ts';
import { describeWith } from '../support/requirements.ts';

/** Whatever ends a recording: the file opens, says how it ended, and the job never notices. */

const KILLS = process.env.STALLTRACE_SOAK ? 50 : 5;
const NOBODY = 65_534;
afterEach(unmountAll);

function expectJobUnharmed(recording: Recording): void {
  expect(recording.code, recording.stderr).toBe(0);
  expect(recording.report()).toBeTruthy();
}

describeWith(['agent', 'bpf'], 'a recording that', () => {
  const seed = Date.now() % 1_000_000;

  test(
    `is killed at ${KILLS} random moments leaves files that open, without their last second at most (seed ${seed})`,
    async () => {
      const random = createRandom(seed);
      for (let kill = 0; kill < KILLS; kill++) await killOnce(random);
    },
    60_000 + KILLS * 10_000,
  );

  test.each([6, 16])(
    'would fill a disk of %i MiB ends before it does, says so, and keeps what it had',
    async (sizeMiB) => {
      const folder = scratchFolder();
      mountSmallDisk(folder, sizeMiB * 1024);
      const report = scratchFolder();
      const recording = await record([standIn('switches'), '2', String(sizeMiB / 2)], {
        folder,
        env: { JOB_REPORT: `${report}/report.json` },
      });
      expect(recording.code, recording.stderr).toBe(0);
      expect(existsSync(`${report}/report.json`)).toBe(true);
      expect(event(recording, 'finished')?.end).toBe('disk-full');
      expect(event(recording, 'finished')?.message).toMatch(
        /is (nearly )?full: the recording ended/,
      );
      openRecording(recording.file);
      expect(value(recording.file, 'SELECT count(*) FROM off_cpu')).toBeGreaterThan(1000);
      // What is left to others, and what was made of the rest.
      const { bavail, bsize, blocks } = statfsSync(folder);
      expect(bavail / blocks).toBeGreaterThan(0.05);
      expect(bsize * (blocks - bavail)).toBeGreaterThan(0.4 * sizeMiB * 1024 ** 2);
    },
  );

  test('reaches --max-size ends, says so, and keeps to it', async () => {
    const recording = await record([standIn('switches'), '2', '2'], { args: ['--max-size', '4M'] });
    expectJobUnharmed(recording);
    expect(event(recording, 'finished')?.end).toBe('max-size');
    openRecording(recording.file);
    expect(statSync(recording.file).size).toBeLessThanOrEqual(4 << 20);
    expect(value(recording.file, 'SELECT count(*) FROM off_cpu')).toBeGreaterThan(1000);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'is told %s finishes its file; the job goes on',
    async (signal) => {
      const finished = join(scratchFolder(), 'finished');
      const recording = await record(jobThatOutlasts(finished, 1), {
        meanwhile: async ({ agent, said }) => {
          await said('progress');
          agent.kill(signal);
          await said('finished');
          writeFileSync(finished, '');
        },
      });
      expectJobUnharmed(recording);
      expect(event(recording, 'finished')).toMatchObject({ end: 'stopped', job_running: true });
      openRecording(recording.file);
      expect(value(recording.file, `SELECT count(*) FROM meta WHERE key = 'finished_ns'`)).toBe(1);
    },
  );

  test('must not write where a file is says so and starts nothing', async () => {
    const folder = scratchFolder();
    execFileSync('touch', [`${folder}/run.trace.db`]);
    const recording = await record([standIn('account'), '1'], { folder });
    expect(recording.code).toBe(125);
    expect(event(recording, 'error')?.message).toMatch(/already a file/);
    expect(existsSync(`${folder}/report.json`)).toBe(false);
    expect(statSync(recording.file).size).toBe(0);
  });
});

const PRETENDED = [
  ['uprobe_session', 'cuda_call'],
  ['uprobe_session,uprobe_multi', 'cuda_call'],
  ['sched_switch', 'process_event'],
  ['perf_event', 'off_cpu'],
  ['block_rq_issue', 'off_cpu'],
] as const;

describeWith(['agent', 'bpf'], 'where something is missing', () => {
  test.each(PRETENDED)(
    '(%s) the rest is recorded, and the file says what is not',
    async (missing, table) => {
      const recording = await record([standIn('calls'), 'count', '20', '2'], {
        args: ['--pretend-missing', missing, '--library', cudart],
      });
      expectJobUnharmed(recording);
      openRecording(recording.file);
      expect(value(recording.file, `SELECT count(*) FROM ${table}`), table).toBeGreaterThan(0);
      expect(query(recording.file, 'SELECT * FROM capability').length).toBeGreaterThan(2);
    },
  );

  test('perf’s probes are ended by a process of their own: the kernel takes long for each', async () => {
    const args = ['--pretend-missing', 'uprobe_session,uprobe_multi', '--library', cudart];
    const before = new Set(endingProbes());
    expectJobUnharmed(await record([standIn('calls'), 'count', '20', '2'], { args }));
    expect(endingProbes().filter((pid) => !before.has(pid))).not.toEqual([]);
  });

  test.each(['btf', 'bpf', 'lockdown'])(
    '(%s) perf tells the job’s own switches instead, without it /proc, and the file says so',
    async (missing) => {
      const args = ['--pretend-missing', missing];
      expectWithoutBpf(await record([standIn('account'), '1'], { args }), 'exact');
      const less = ['--pretend-missing', `${missing},perf_switch`];
      expectWithoutBpf(await record([standIn('account'), '1'], { args: less }), 'sampled');
    },
  );
});

/** Processes that wait for the kernel to end probes. */
function endingProbes(): string[] {
  const { stdout } = spawnSync('pgrep', ['-x', 'stalltrace-end'], { encoding: 'utf8' });
  return stdout.split('\n').filter((pid) => pid !== '');
}

function expectWithoutBpf(recording: Recording, switches: 'exact' | 'sampled'): void {
  expectJobUnharmed(recording);
  expect(event(recording, 'started')?.mode).toBe('inside');
  openRecording(recording.file);
  const kind = `SELECT kind FROM provenance WHERE table_name = 'off_cpu' AND column_name = ''`;
  expect(value(recording.file, kind)).toBe(switches);
  expect(value(recording.file, 'SELECT count(*) FROM off_cpu')).toBeGreaterThan(50);
  const why = `SELECT note FROM provenance WHERE table_name = 'cuda_call' AND kind = 'absent'`;
  expect(value(recording.file, why)).toMatch(/\w/);
  const threads = query(recording.file, 'SELECT name FROM thread').map(({ name }) => name);
  for (const name of ['acc-sleep', 'acc-spin-a', 'acc-ping']) expect(threads).toContain(name);
}

const NO_PERF = ['--pretend-missing', 'perf_switch'];

function recordAsNobody(args: readonly string[]): Promise<Recording> {
  const folder = scratchFolder();
  chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  const through = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  return record([standIn('account'), '1'], { through, folder, args });
}

describeWith(['agent', 'root', 'perfEvents', 'reachable'], 'without privileges', () => {
  test('capabilities dropped: perf tells the job’s own switches', async () => {
    const dropped = ['sys_admin', 'bpf', 'perfmon', 'sys_ptrace'].map((name) => `-${name}`).join();
    const through = ['setpriv', `--bounding-set=${dropped}`];
    expectWithoutBpf(await record([standIn('account'), '1'], { through }), 'exact');
  });

  test('as an ordinary user: perf tells the job’s own switches', async () => {
    expectWithoutBpf(await recordAsNobody([]), 'exact');
  });

  test('--no-bpf: as asked', async () => {
    const recording = await record([standIn('account'), '1'], { args: ['--no-bpf'] });
    expectWithoutBpf(recording, 'exact');
  });
});

describeWith(['agent', 'root', 'notWindows', 'reachable'], 'without privileges and perf', () => {
  test('as an ordinary user: it polls /proc instead', async () => {
    expectWithoutBpf(await recordAsNobody(NO_PERF), 'sampled');
  });

  test('--no-bpf: it polls /proc instead', async () => {
    const args = ['--no-bpf', ...NO_PERF];
    expectWithoutBpf(await record([standIn('account'), '1'], { args }), 'sampled');
  });
});
