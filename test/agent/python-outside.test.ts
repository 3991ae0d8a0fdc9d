import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectWhole } from '../support/agent/agent.ts';
import {
  query,
  type Recording,
  runAgent,
  STACK_FRAMES,
  value,
} from '../support/agent/agent-run.ts';
import { asNobodyArguments, NOBODY_MAY_USE } from '../support/agent/inside-run.ts';
import {
  interpreters,
  MAX_FRAMES,
  type PythonFrame,
  type PythonPlace,
} from '../support/agent/pythons.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** Python's stacks read from outside, where BPF is refused: against what jobs say of themselves. */

const PYTHON = '/usr/bin/python3';
const job = (name: string) => join(root, 'test/agent/jobs', name);
const withoutBpf = ['--no-bpf', '--no-inside'];
/** Several run at a time: none in a folder that ends with its test. */
const scratch = mkdtempSync(join(tmpdir(), 'stalltrace-outside-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const freshFolder = () => mkdtempSync(join(scratch, 'run-'));

function provenance(file: string, table: string): Record<string, unknown> | undefined {
  return query(
    file,
    `SELECT kind, every_ns, note FROM provenance WHERE table_name = '${table}' AND column_name = ''`,
  ).at(0);
}

function capability(file: string): Record<string, unknown> | undefined {
  return query(file, `SELECT available, detail FROM capability WHERE name = 'python'`).at(0);
}

function expectRan(recording: Recording): void {
  expect(recording.code, recording.stderr).toBe(0);
  expectWhole(recording, dirname(recording.file));
}

/** Samples by the innermost function of the job's own. */
function samplesIn(file: string, names: readonly string[]): Record<string, number> {
  const rows = query(
    file,
    `${STACK_FRAMES} SELECT symbol, count(*) AS n FROM cpu_sample
       JOIN stack_frame USING (stack_id) WHERE position = 0 GROUP BY symbol`,
  );
  const of = new Map(rows.map(({ symbol, n }) => [symbol, Number(n)]));
  return Object.fromEntries(names.map((name) => [name, of.get(name) ?? 0]));
}

describeWith(['agent'], 'Python from outside', () => {
  test.concurrent.each(interpreters())(
    '%s: where each thread waits, to the line',
    async (python) => {
      const folder = freshFolder();
      const recording = await runAgent([python, job('python_stacks.py'), '2'], {
        folder,
        args: withoutBpf,
      });
      expectRan(recording);
      const seen = query(
        recording.file,
        `${STACK_FRAMES} SELECT thread.tid, json_group_array(json_array(symbol, file, line)) AS frames
         FROM (SELECT DISTINCT thread_id, stack_id FROM off_cpu) AS waits
         JOIN thread ON thread.id = waits.thread_id
         JOIN (SELECT * FROM stack_frame WHERE language = 'python' ORDER BY stack_id, position)
           USING (stack_id)
        GROUP BY thread.tid, stack_id`,
      ).map(({ tid, frames }) => ({ tid, frames: JSON.parse(String(frames)) as PythonFrame[] }));
      const places = readFileSync(join(folder, 'report.json'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as PythonPlace);
      expect(places.length).toBe(10);
      for (const { place, tid, frames } of places) {
        const ofThread = seen.filter((each) => each.tid === tid).map((each) => each.frames);
        expect(ofThread, `${place} in ${python}`).toContainEqual(frames.slice(0, MAX_FRAMES));
      }
    },
  );

  test.concurrent('shares of samples are those that DataLoader workers measure of themselves, without any right', async () => {
    const folder = freshFolder();
    for (const path of [scratch, folder]) chmodSync(path, NOBODY_MAY_USE);
    const report = join(folder, 'sums');
    const recording = await runAgent([PYTHON, job('known_shares.py'), report, '3', '2'], {
      folder,
      through: asNobodyArguments,
      args: ['--no-inside'],
    });
    expectRan(recording);
    const { file } = recording;
    const truth = readdirSync(folder)
      .filter((name) => name.startsWith('sums.'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, number>)
      .reduce(
        (all, { decode = 0, augment = 0 }) => ({
          decode: all.decode + decode,
          augment: all.augment + augment,
        }),
        { decode: 0, augment: 0 },
      );
    const { decode = 0, augment = 0 } = samplesIn(file, ['decode', 'augment']);
    const count = decode + augment;
    const share = truth.decode / (truth.decode + truth.augment);
    // Four standard deviations of so many samples: one run in 16,000 is further off.
    const off = 4 * Math.sqrt((share * (1 - share)) / count);
    expect(count, recording.stderr).toBeGreaterThan(25);
    expect(Math.abs(decode / count - share), `${decode} of ${count}, ${share}`).toBeLessThan(off);
    expect(provenance(file, 'cpu_sample')).toMatchObject({
      kind: 'sampled',
      note: expect.stringContaining('times a second and thread'),
    });
    expect(capability(file)).toMatchObject({ available: 1 });
    // What sleeps is no CPU sample, but as it begins and ends, and the stack of its wait.
    expect(samplesIn(file, ['fetch']).fetch).toBeLessThan(count / 10);
    const slept = `${STACK_FRAMES} SELECT coalesce(sum(duration_ns), 0) FROM off_cpu
      JOIN stack_frame USING (stack_id) WHERE symbol = 'fetch' AND duration_ns > 100000000`;
    expect(value(file, slept)).toBeGreaterThan(0);
    const workers = `SELECT count(*) FROM process WHERE role = 'dataloader-worker'`;
    expect(value(file, workers)).toBe(2);
  });

  test.concurrent('threads that come and go, forked children, and programs that are not Python', async () => {
    const recording = await runAgent([PYTHON, job('threads_come_and_go.py'), '1.5'], {
      folder: freshFolder(),
      args: withoutBpf,
    });
    expectRan(recording);
    const { file } = recording;
    // One of ten has Python's lock: the others wait for it.
    const threads = `${STACK_FRAMES} SELECT count(DISTINCT thread_id)
      FROM (SELECT thread_id, stack_id FROM cpu_sample UNION SELECT thread_id, stack_id FROM off_cpu)
      JOIN stack_frame USING (stack_id) WHERE symbol = 'short'`;
    expect(value(file, threads)).toBeGreaterThan(10);
    const children = `${STACK_FRAMES} SELECT count(*) FROM cpu_sample
      JOIN stack_frame USING (stack_id) WHERE symbol = 'child'`;
    expect(value(file, children)).toBeGreaterThan(0);
    const astray = `SELECT count(*) FROM cpu_sample JOIN thread ON thread.id = thread_id
      WHERE cpu_sample.start_ns < thread.start_ns OR cpu_sample.start_ns > thread.end_ns`;
    expect(value(file, astray)).toBe(0);
  });

  test.concurrent('says of a job without Python that nothing was read', async () => {
    const recording = await runAgent(['/bin/sleep', '0.3'], {
      folder: freshFolder(),
      args: withoutBpf,
    });
    expectRan(recording);
    expect(provenance(recording.file, 'cpu_sample')).toMatchObject({
      kind: 'absent',
      note: expect.stringContaining('No process of the job was seen to run Python'),
    });
  });

  test.concurrent('says of a process that lets nobody read it that it does', async () => {
    const folder = freshFolder();
    for (const path of [scratch, folder]) chmodSync(path, NOBODY_MAY_USE);
    // Long enough to be met, and looked at several times.
    const closed = 'import ctypes, time; ctypes.CDLL(None).prctl(4, 0); time.sleep(0.6)';
    const { code, stderr, file } = await runAgent([PYTHON, '-c', closed], {
      folder,
      through: asNobodyArguments,
      args: withoutBpf,
    });
    expect(code, stderr).toBe(0);
    const said = `SELECT count(*) FROM notice WHERE text LIKE '%can''t be read from outside%not permitted%'`;
    const { kind, note } = provenance(file, 'cpu_sample') ?? {};
    // Where the interpreter was met before it closed itself, there is a look or two.
    expect(kind === 'sampled' || String(note).includes('could not be read'), String(note)).toBe(
      true,
    );
    expect(value(file, said), stderr).toBe(1);
  });

  test.concurrent('is not done where no samples are asked for', async () => {
    const args = [...withoutBpf, '--samples', '0'];
    const { file } = await runAgent(['/bin/true'], { folder: freshFolder(), args });
    expect(capability(file)).toMatchObject({ available: 0, detail: 'Not asked for: --samples 0.' });
  });
});
