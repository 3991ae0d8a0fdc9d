import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectWhole } from '../support/agent/agent.ts';
import {
  agentPath,
  event,
  query,
  type Recording,
  runAgent,
  STACK_FRAMES,
  value,
} from '../support/agent/agent-run.ts';
import { callsByBoth, judge, totals } from '../support/agent/calls-by-both.ts';
import {
  type DataLoaderReport,
  dataLoaderCommand,
  expectExactCopies,
  expectExactWork,
  expectWorkers,
  PAGEABLE,
} from '../support/agent/dataloader-job.ts';
import { NOBODY } from '../support/agent/inside-run.ts';
import { REFUSALS, type Refusal, through } from '../support/agent/refusals.ts';
import { describeWith } from '../support/requirements.ts';

/**
 * PyTorch's own DataLoader, recorded by somebody without rights where more and more is refused, while BPF
 * records all of them as root: calls are exact everywhere, and what is missing is said with its reason.
 */

/** Those that need neither a GPU nor rights, and BPF. */
const TIERS = ['bpf', 'inside', 'imports', 'perf_switch', 'python', 'proc', 'machine'];
const WITHOUT_BPF = /^not allowed to load BPF programs/;

/** Waits for the simulated GPU, and for a CPU. Few enough bytes at a time for /dev/shm. */
const OPTIONS = ['--workers', '2', '--items', '768', '--features', '1024', '--item-cpu-us', '200'];
const ENVIRONMENT = { STALLTRACE_STAND_IN_BLOCK: '1', STALLTRACE_STAND_IN_KERNEL_US: '300' };
const CODE = 7;
/** One call's. */
const SLACK_NS = 100_000;
const BPF_ARGUMENTS = ['--profile', 'faults', '--samples', '0'];
/** The job waits for a line in its pipe, until BPF records; a minute at most. */
const GATED = `exec 5<>"$0" && read -t 60 -u 5 && exec 5<&- && "$@" && exit ${CODE}`;

const scratch = mkdtempSync(join(tmpdir(), 'stalltrace-refusals-'));
chmodSync(scratch, 0o711);
const bpfFolder = join(scratch, 'bpf');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const runs = Object.entries(REFUSALS).map(([title, refusal], index) => {
  // A user each: what perf may lock is counted by user.
  const user = NOBODY - 2 - index;
  const folder = join(scratch, String(index));
  return { title, refusal, user, folder, pipe: join(folder, 'pipe') };
});
type Run = (typeof runs)[number];
const recordings = new Map<string, Recording>();

function makeFolder({ folder, user, pipe }: Run): void {
  mkdirSync(folder, { mode: 0o700 });
  execFileSync('mkfifo', [pipe]);
  for (const path of [folder, pipe]) chownSync(path, user, user);
}

const reportOf = (run: Run) => join(run.folder, 'job.json');

async function recordRefused(run: Run, mayBegin: (pid: unknown) => Promise<void>): Promise<void> {
  const pipe = openSync(run.pipe, 'r+');
  const command = ['bash', '-c', GATED, run.pipe, ...dataLoaderCommand(reportOf(run), OPTIONS)];
  const recording = await runAgent(command, {
    folder: run.folder,
    through: through(run.refusal, run.user, run.folder),
    env: ENVIRONMENT,
    async meanwhile({ events }) {
      await mayBegin(events().find((each) => each.event === 'started')?.pid);
      writeSync(pipe, 'go\n');
    },
  });
  closeSync(pipe);
  recordings.set(run.title, recording);
}

/** All at once, each waiting for the one that records them all. */
async function recordAll(): Promise<Recording> {
  const begun: Promise<unknown>[] = [];
  const go = Promise.withResolvers<void>();
  const refused = runs.map((run) => {
    const started = Promise.withResolvers<unknown>();
    begun.push(started.promise);
    return recordRefused(run, (pid) => {
      started.resolve(pid);
      return go.promise;
    });
  });
  const pids = (await Promise.all(begun)).filter((pid) => pid !== undefined);
  const bpf = await runAgent([], {
    folder: bpfFolder,
    args: [...pids.flatMap((pid) => ['--pid', String(pid)]), ...BPF_ARGUMENTS],
    meanwhile: () => go.resolve(),
  });
  await Promise.all(refused);
  return bpf;
}

interface Tier {
  readonly id: string;
  readonly available: boolean;
  readonly detail: string;
}

async function checkedTiers(run: Run): Promise<Tier[]> {
  const [program = '', ...args] = through(run.refusal, run.user, run.folder);
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const check = spawn(program, [...args, agentPath, 'check', '--json'], { stdio: [...stdio] });
  const { tiers } = JSON.parse(await text(check.stdout as NodeJS.ReadableStream)) as {
    tiers: Tier[];
  };
  return tiers
    .filter(({ id }) => TIERS.includes(id))
    .map(({ id, available, detail }) => ({ id, available, detail }));
}

/** The row of the table of tiers. */
function expectTiers(
  found: readonly unknown[],
  { lost = {}, told = {} }: Refusal,
  ids: readonly string[],
): void {
  const missing: Readonly<Record<string, RegExp>> = { bpf: WITHOUT_BPF, ...lost };
  expect(found, JSON.stringify(found)).toEqual(
    ids.map((id) => ({
      id,
      available: !(id in missing),
      detail: expect.stringMatching(missing[id] ?? told[id] ?? /^/),
    })),
  );
}

/** What the trace says of its tiers, and of the tables that come from them. */
function expectTold(file: string, refusal: Refusal): void {
  const capabilities = query(file, 'SELECT name AS id, available, detail FROM capability');
  const ids = ['bpf', 'inside', 'perf_switch', 'python', 'proc'];
  const told = ids.map((id) => capabilities.find((each) => each.id === id));
  expectTiers(
    told.map((each) => ({ ...each, available: each?.available === 1 })),
    refusal,
    ids,
  );
  const rows = query(
    file,
    `SELECT table_name AS name, kind FROM provenance WHERE column_name = ''
       AND table_name IN ('cuda_call', 'gpu_work', 'off_cpu', 'cpu_sample', 'page_fault')`,
  );
  const { perf_switch: perf, python } = refusal.lost ?? {};
  expect(Object.fromEntries(rows.map(({ name, kind }) => [name, kind]))).toEqual({
    cuda_call: 'exact',
    gpu_work: 'exact',
    off_cpu: perf ? 'sampled' : 'exact',
    cpu_sample: python ? 'absent' : 'sampled',
    page_fault: 'absent',
  });
  expect(value(file, 'SELECT count(*) > 0 FROM cpu_sample')).toBe(python ? 0 : 1);
  expect(value(file, 'SELECT count(*) FROM off_cpu')).toBeGreaterThan(100);
}

const isClose = (a: number, b: number, slack: number) => Math.abs(a - b) <= slack + 0.01 * b;

/** What the library says of each call is what BPF says of the same time. */
function expectSums(file: string, report: DataLoaderReport, bpf: Recording): void {
  const calls = callsByBoth(file, bpf.file);
  // And the one that allocates.
  expect(calls).toHaveLength(report.copies + report.syncs + 1);
  const { alike, disturbed, unexplained } = judge(calls);
  const said = JSON.stringify([totals(calls), totals(alike)]);
  expect(unexplained.length, JSON.stringify(unexplained)).toBeLessThanOrEqual(1);
  // 3 of 50 where the machine's own CPUs are taken away.
  expect(disturbed.length, said).toBeLessThan(calls.length / 5);
  const sums = totals(alike);
  expect(isClose(sums.insideOff, sums.bpfOff, SLACK_NS), said).toBe(true);
  expect(isClose(sums.insideQueue, sums.bpfQueue, SLACK_NS), said).toBe(true);
  expect(isClose(sums.insideFaults, sums.bpfFaults, 2), said).toBe(true);
  expect(sums.bpfOff, said).toBeGreaterThan(100 * SLACK_NS);
  expect(sums.bpfFaults, said).toBeGreaterThan(20);
}

/** Python's frames of calls, by the library inside: where they are is proved from outside. */
function expectStacks(file: string, { lost = {} }: Refusal): void {
  const symbols = query(
    file,
    `${STACK_FRAMES} SELECT DISTINCT symbol FROM cuda_call
     JOIN stack_frame USING (stack_id) WHERE language = 'python'`,
  ).map(({ symbol }) => String(symbol).split('.').at(-1));
  const expected = ['main', 'train', 'wait'];
  expect(symbols).toEqual(lost.python ? [] : expect.arrayContaining(expected));
  const note = `SELECT note FROM provenance WHERE table_name = 'cuda_call' AND column_name = 'stack_id'`;
  const why = lost.python ? expect.stringMatching(lost.python) : null;
  expect(value(file, note)).toEqual(why);
}

function expectNotices(file: string, { notices = [] }: Refusal): void {
  const said = query(file, 'SELECT text FROM notice').map(({ text }) => text);
  for (const each of notices) expect(said).toContainEqual(expect.stringMatching(each));
}

describeWith(
  ['agent', 'bpf', 'torch', 'mount', 'perfEvents', 'reachable'],
  'a DataLoader recorded without rights, under',
  () => {
    let bpf: Recording;
    beforeAll(async () => {
      mkdirSync(bpfFolder);
      runs.forEach(makeFolder);
      bpf = await recordAll();
    });

    test('the recording of all by BPF is whole', () => {
      expect(bpf.code, bpf.stderr).toBe(0);
      expectWhole(bpf, bpfFolder);
    });

    test.concurrent.each(runs)('$title', async (run) => {
      const recording = recordings.get(run.title) as Recording;
      const { code, stdout, stderr, file } = recording;
      expect({ code, stdout, stderr }).toEqual({ code: CODE, stdout: 'training\n', stderr: '' });
      expect(event(recording, 'started')?.mode).toBe('inside');
      expectWhole(recording, run.folder);
      const report = JSON.parse(readFileSync(reportOf(run), 'utf8')) as DataLoaderReport;
      expectExactCopies(file, report, PAGEABLE);
      expectExactWork(file, report);
      expectWorkers(file, report);
      expectSums(file, report, bpf);
      expectStacks(file, run.refusal);
      expectNotices(file, run.refusal);
      expectTold(file, run.refusal);
      expectTiers(await checkedTiers(run), run.refusal, TIERS);
    });
  },
);
