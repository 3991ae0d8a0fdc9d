import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectWhole, openRecording, record, scratchFolder } from '../support/agent/agent.ts';
import {
  agentPath,
  event,
  query,
  type RunOptions,
  standIn,
  value,
} from '../support/agent/agent-run.ts';
import { dataLoaderCommand } from '../support/agent/dataloader-job.ts';
import {
  asNobodyArguments,
  freshPath,
  NOBODY,
  recordInside,
  removeRecordings,
  withoutRights,
} from '../support/agent/inside-run.ts';
import { median } from '../support/median.ts';
import { describeWith } from '../support/requirements.ts';

/** Switches by perf, without any right: what is said is what BPF says of the same run. */

removeRecordings();

interface Wait {
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly queueNs: number | null;
  readonly state: number | null;
  readonly diedNs: number | null;
  /** The kernel passed this switch by BPF: when it came on is worked out from what it has executed since. */
  readonly isEndMadeUp: 0 | 1;
  /** perf: the kernel's sums were read after it, so that the waits since they were read before share what they tell. */
  readonly isRead: 0 | 1;
}

/** Waits in ns of CLOCK_MONOTONIC, which both recordings share. */
function waits(file: string): Wait[] {
  return query(
    file,
    `SELECT tid, w.start_ns + zero AS startNs, w.start_ns + zero + duration_ns AS endNs,
       run_queue_ns AS queueNs, state, thread.end_ns + zero AS diedNs,
       cpu_in IS NOT NULL AND previous_thread_id IS NULL AS isEndMadeUp,
       w.minor_faults IS NOT NULL AS isRead
     FROM off_cpu w JOIN thread ON thread.id = thread_id,
       (SELECT monotonic_ns - start_ns AS zero FROM clock_reading LIMIT 1)`,
  ) as unknown as Wait[];
}

/** The waits of one thread that lie between two moments, in order of time. */
function within(all: readonly Wait[], tid: number, fromNs: number, toNs: number): Wait[] {
  return all
    .filter((wait) => wait.tid === tid && wait.startNs >= fromNs && wait.endNs <= toNs)
    .sort((a, b) => a.startNs - b.startNs);
}

/**
 * The kernel's fast clock may step back where it is adjusted: by 500 ppm of the time since its last
 * tick, which comes late where a virtual CPU is taken away. 20 µs were seen beside four busy processes.
 */
const CLOCK_NS = 200e3;

interface Compared {
  /** By how much perf's clock readings of a switch come after those of BPF, in ns. */
  readonly lags: readonly number[];
  /** What one says and the other does not. */
  readonly differences: readonly string[];
}

/**
 * Compares two records of the waits of one thread. The kernel tells BPF of a switch and perf a
 * little later, both before the thread can be switched again: whatever the machine does meanwhile,
 * their edges come strictly in turns. A wait that is missing, invented or shifted breaks the turns. An end that
 * is made up comes too late, by what interrupts and other machines took since, which is no time of the thread's;
 * it comes after its wait began all the same.
 */
function compare(perf: readonly Wait[], bpf: readonly Wait[]): Compared {
  const edges = (waits: readonly Wait[]) => waits.flatMap(({ startNs, endNs }) => [startNs, endNs]);
  const [late, early] = [edges(perf), edges(bpf)];
  const lags = early.map((ns, at) => (late[at] ?? Infinity) - ns);
  const outOfTurn = lags.flatMap((lag, at) => {
    const next = (early[at + 1] ?? Infinity) - (early[at] ?? 0);
    const wait = bpf[at >> 1];
    const isMadeUp = at % 2 === 1 && wait?.isEndMadeUp === 1;
    const least = isMadeUp ? wait.startNs - wait.endNs : 0;
    const isInTurn = lag >= least - CLOCK_NS && lag <= next + CLOCK_NS;
    const said = `perf ${lag} ns after BPF${isMadeUp ? ', made up' : ''}, the next edge after ${next}`;
    return isInTurn ? [] : [`edge ${at}: ${said}`];
  });
  const otherwise = bpf.flatMap(({ state }, at) =>
    (state === PREEMPTED) === (perf[at]?.state === PREEMPTED) ? [] : [`wait ${at}: preempted?`],
  );
  return { lags, differences: [...outOfTurn, ...otherwise] };
}

/**
 * perf's record of these waits of one thread. Of several waits that begin as near to BPF's first one as
 * the clocks may be apart, BPF may have come too late for the earlier ones: the one from which on the two
 * differ least is the first that both have.
 */
function counterpart(perf: readonly Wait[], bpf: readonly [Wait, ...Wait[]]) {
  const [{ startNs }] = bpf;
  const early = perf.filter((wait) => wait.startNs < startNs - CLOCK_NS).length;
  const late = perf.filter((wait) => wait.startNs <= startNs + CLOCK_NS).length;
  const candidates = Array.from({ length: late - early + 1 }, (_, at) => {
    const waits = perf.slice(early + at, early + at + bpf.length);
    return { waits, ...compare(waits, bpf) };
  });
  return candidates.reduce((best, each) =>
    each.differences.length < best.differences.length ? each : best,
  );
}

/**
 * The places of the waits that were read together, as perf knows how long they queued only all at once. What was
 * read first may tell of waits that BPF came too late for, and what was not read yet is not known.
 */
function readTogether(perf: readonly Wait[]): number[][] {
  const ends = perf.flatMap(({ isRead }, at) => (isRead === 1 ? [at + 1] : []));
  return ends.slice(1).map((end, at) => {
    const from = ends[at] ?? 0;
    return Array.from({ length: end - from }, (_, place) => from + place);
  });
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const queued = (waits: readonly Wait[]) => sum(waits.map(({ queueNs }) => queueNs ?? 0));

/** As often as the threads of `pid` have left a CPU of themselves. */
function switchesOf(pid: unknown): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const status = threads.map((tid) => readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8'));
  const counts = status.map((text) =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(text)?.[1]),
  );
  return sum(counts);
}

const PATIENT = { timeout: 30_000 };

/** A thread is not followed to its very end, and its last sums are not known. */
const AT_THE_END_NS = 50e6;
/**
 * BPF takes the stack of a preempted thread before perf reads the clock: 3 to 14 µs in the mean of a run on an idle
 * machine; more where others want the caches too.
 */
const BPF_STACK_NS = 40e3;
const FORKED = 0x800;
const PREEMPTED = 0;
/** Of most switches, by far: 3 to 19 µs on a machine that is idle or busy. */
const LAG_NS = 250e3;

function span(all: readonly Wait[]): readonly [number, number] {
  return [
    all.reduce((least, { startNs }) => Math.min(least, startNs), Infinity),
    all.reduce((most, { endNs }) => Math.max(most, endNs), 0),
  ];
}

describeWith(
  ['agent', 'bpf', 'torch', 'perfEvents', 'reachable'],
  'a DataLoader, recorded by somebody without rights',
  () => {
    test('has each switch that BPF sees, and how long each thread waited for what', async () => {
      const folder = scratchFolder();
      chownSync(folder, NOBODY, NOBODY);
      const options = ['--workers', '4', '--items', '768', '--item-cpu-us', '300'];
      const truth = freshPath();
      const recording = await recordInside(dataLoaderCommand(join(folder, 'job.json'), options), {
        asNobody: true,
        async meanwhile({ events }) {
          const pid = String(events().find((each) => each.event === 'started')?.pid);
          const args = ['record', '--pid', pid, '--samples', '0', '--out', truth];
          await once(spawn(agentPath, args, { stdio: 'ignore' }), 'close');
        },
      });
      expect(recording.code, recording.stderr).toBe(0);
      const trace = expectWhole(recording);
      expect(value(truth, 'SELECT count(*) FROM gap WHERE lost > 0')).toBe(0);
      expect(trace.tables.off_cpu.provenance.kind).toBe('exact');
      // Nobody is named who was not recorded.
      const own = query(
        truth,
        'SELECT DISTINCT tid FROM thread JOIN off_cpu ON thread.id = thread_id',
      );
      const told = query(recording.file, 'SELECT DISTINCT tid FROM thread');
      expect(own.map(({ tid }) => tid)).toEqual(expect.arrayContaining(told.map(({ tid }) => tid)));

      const [ours, theirs] = [waits(recording.file), waits(truth)].map((all) =>
        all.filter(({ state }) => state !== FORKED),
      ) as [Wait[], Wait[]];
      const [[fromNs, endNs], [theirFromNs, theirEndNs]] = [span(ours), span(theirs)];
      const beginNs = Math.max(fromNs, theirFromNs);
      const all = { lags: [] as number[], found: 0, expected: 0, preempted: 0, threads: 0 };
      for (const tid of new Set(theirs.map((wait) => wait.tid))) {
        const diedNs = ours.find((wait) => wait.tid === tid)?.diedNs ?? Infinity;
        const toNs = Math.min(endNs, theirEndNs, diedNs) - AT_THE_END_NS;
        const bpf = within(theirs, tid, beginNs, toNs);
        const [first] = bpf;
        if (first === undefined || bpf.length < 20) continue;
        const mine = within(ours, tid, 0, Infinity);
        const { waits: perf, lags, differences } = counterpart(mine, [first, ...bpf.slice(1)]);
        const told = `of thread ${tid}: ${differences.slice(0, 3).join('; ')}`;
        expect(differences, told).toEqual([]);
        all.lags.push(...lags);
        // An end that BPF makes up comes late: how long that wait was is known to perf alone.
        const isKnownToBoth = (at: number) =>
          bpf[at]?.isEndMadeUp === 0 && perf[at]?.queueNs !== null;
        for (const places of readTogether(perf).filter((each) => each.every(isKnownToBoth))) {
          const of = (waits: readonly Wait[]) => places.flatMap((at) => waits[at] ?? []);
          all.found += queued(of(perf));
          all.expected += queued(of(bpf));
          all.preempted += of(bpf).filter(({ state }) => state === PREEMPTED).length;
        }
        all.threads++;
      }
      // The main thread, the workers, and what they start.
      expect(all.threads).toBeGreaterThan(5);
      expect(all.expected).toBeGreaterThan(0);
      expect(median(all.lags)).toBeLessThan(LAG_NS);
      const between = all.preempted * BPF_STACK_NS;
      const said = `${all.found} of ${all.expected} ns, preempted ${all.preempted} times`;
      const apart = Math.abs(all.found - all.expected);
      expect(apart, said).toBeLessThan(0.03 * all.expected + between);
    });
  },
);

function recordAsNobody(command: readonly string[], options: Partial<RunOptions> = {}) {
  const folder = scratchFolder();
  chownSync(folder, NOBODY, NOBODY);
  return record(command, { through: asNobodyArguments, ...options, folder });
}

/** A process without rights that waits for its input. Until it runs its own program it may have more. */
async function startAsNobody(program: string, ...words: string[]) {
  const job = spawn('setpriv', [...asNobodyArguments.slice(1), program, ...words], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  onTestFinished(() => void job.kill('SIGKILL'));
  const name = () => readFileSync(`/proc/${job.pid}/comm`, 'utf8').trim();
  await expect.poll(name).toBe(basename(program));
  return job;
}

const kindOf = (file: string, table: string) =>
  value(file, `SELECT kind FROM provenance WHERE table_name = '${table}' AND column_name = ''`);
const tierOf = (file: string) =>
  query(file, `SELECT available, detail FROM capability WHERE name = 'perf_switch'`)[0];

interface Counted {
  readonly tid: number;
  readonly begin: { readonly runDelay: number };
  readonly end: {
    readonly voluntary: number;
    readonly involuntary: number;
    readonly runDelay: number;
  };
}

describeWith(
  ['agent', 'root', 'perfEvents', 'reachable'],
  'recorded by perf, without any right',
  () => {
    test('each switch of each thread is there, as the kernel counts them', async () => {
      const recording = await recordAsNobody([standIn('account'), '0.5']);
      expect(recording.code, recording.stderr).toBe(0);
      expectWhole(recording);
      expect(tierOf(recording.file)).toMatchObject({ available: 1 });
      expect(kindOf(recording.file, 'process_event')).toBe('exact');
      for (const { tid, end } of recording.report() as readonly Counted[]) {
        const rows = `SELECT count(*) FROM off_cpu JOIN thread ON thread.id = thread_id WHERE tid = ${tid}`;
        const stored = Number(value(recording.file, rows));
        // Its first wait for a CPU is none that the kernel counts, nor is what comes after its report counted yet.
        expect(stored).toBeGreaterThanOrEqual(end.voluntary + end.involuntary);
        expect(stored).toBeLessThanOrEqual(end.voluntary + end.involuntary + 10);
      }
    });

    test('a job that runs already is followed, with all that it makes from then on', async () => {
      const script = [
        'import sys, threading, time, subprocess',
        'sys.stdin.readline()',
        'def work():',
        '    for _ in range(50): time.sleep(0.001)',
        'threads = [threading.Thread(target=work) for _ in range(3)]',
        'for each in threads: each.start()',
        'for each in threads: each.join()',
        'subprocess.run(["sleep", "0.02"])',
      ].join('\n');
      const job = await startAsNobody('/usr/bin/python3', '-c', script);
      const recording = await recordAsNobody([], {
        args: ['--pid', String(job.pid)],
        meanwhile: () => void job.stdin.end('go\n'),
      });
      expect(recording.code, recording.stderr).toBe(0);
      expectWhole(recording);
      expect(kindOf(recording.file, 'off_cpu')).toBe('exact');
      const sleeps = query(
        recording.file,
        `SELECT count(*) AS waits, thread.start_ns > 0 AS born, thread.end_ns > 0 AS ended
       FROM off_cpu JOIN thread ON thread.id = thread_id WHERE tid <> ${job.pid} AND name = 'python3'
       GROUP BY thread_id ORDER BY thread_id LIMIT 3`,
      );
      expect(sleeps).toHaveLength(3);
      for (const thread of sleeps) {
        expect(thread).toMatchObject({ born: 1, ended: 1 });
        expect(thread.waits).toBeGreaterThanOrEqual(50);
      }
      const events = `SELECT group_concat(kind, ' ') FROM (SELECT kind FROM process_event JOIN thread ON
      thread.id = coalesce(subject_id, thread_id) WHERE thread.name = 'sleep' ORDER BY process_event.start_ns)`;
      // Fork, exec, exit.
      expect(value(recording.file, events)).toBe('1 2 3');
    });

    test('what finds no room is counted, and no wait is claimed across it', async () => {
      const folder = scratchFolder();
      chmodSync(folder, 0o755);
      const enough = join(folder, 'enough');
      const recording = await recordAsNobody([standIn('switches'), '0.2', '1', enough], {
        async meanwhile({ agent, events }) {
          const pid = events().find((each) => each.event === 'started')?.pid;
          const state = () => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
          agent.kill('SIGSTOP');
          const before = switchesOf(pid);
          // Many times what a ring holds, however long that takes.
          await expect.poll(() => switchesOf(pid) - before, PATIENT).toBeGreaterThan(100_000);
          writeFileSync(enough, '');
          await expect.poll(state, PATIENT).toBe('Z');
          agent.kill('SIGCONT');
        },
      });
      expect(recording.code, recording.stderr).toBe(0);
      openRecording(recording.file);
      const drops = event(recording, 'finished')?.drops as Readonly<Record<string, number>>;
      expect(drops.switch).toBeGreaterThan(0);
      const lost = `SELECT count(*) FROM gap JOIN name ON name.id = op_id WHERE text = 'off_cpu'`;
      expect(value(recording.file, lost)).toBeGreaterThan(0);
      // The two that hand over are on one CPU, and so in one ring.
      const across = `SELECT count(*) FROM gap JOIN name ON name.id = op_id AND text = 'off_cpu', off_cpu
        JOIN thread ON thread.id = thread_id JOIN process ON process.id = process_id AND pid <> tid
      WHERE off_cpu.start_ns < gap.start_ns
        AND off_cpu.start_ns + off_cpu.duration_ns > gap.start_ns + 1000`;
      expect(value(recording.file, across)).toBe(0);
    });

    test('a process that sleeps all the time has one wait, and what it is in', async () => {
      const job = await startAsNobody('cat');
      const recording = await recordAsNobody([], {
        args: ['--pid', String(job.pid), '--duration', '1s'],
      });
      expect(recording.code, recording.stderr).toBe(0);
      openRecording(recording.file);
      const waits = query(recording.file, 'SELECT duration_ns, state, syscall FROM off_cpu');
      expect(waits).toEqual([{ duration_ns: expect.any(Number), state: 1, syscall: 0 }]);
      expect(waits[0]?.duration_ns).toBeGreaterThan(0.2e9);
    });

    test('where little memory may be locked its rings are smaller, and it is said', async () => {
      // Their own share of kernel.perf_event_mlock_kb, and no more.
      const other = NOBODY - 1;
      const through = [...withoutRights(other), 'prlimit', '--memlock=0'];
      const recordings = await Promise.all(
        Array.from({ length: 6 }, () => {
          const folder = scratchFolder();
          chownSync(folder, other, other);
          // Long enough that all six have their rings at once.
          return record(['sleep', '1'], { through, folder });
        }),
      );
      for (const { file, code, stderr } of recordings) {
        expect(code, stderr).toBe(0);
        openRecording(file);
      }
      const said = recordings.map(
        ({ stderr, file }) => `${stderr} ${JSON.stringify(tierOf(file))}`,
      );
      expect(said.join('\n')).toMatch(/has 32 KiB only|Too little memory may be locked/);
    });
  },
);
