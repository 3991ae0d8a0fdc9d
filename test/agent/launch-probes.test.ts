import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { cudart, query, type Recording, standIn, value } from '../support/agent/agent-run.ts';
import { launches, PINNED, RUNTIME } from '../support/agent/exact-calls.ts';
import { describeWith } from '../support/requirements.ts';

/** BPF's probes of launches go while all that uses CUDA is recorded from inside, and come back for who is not. */

const LONGEST_WAIT_MS = 30_000;

/** How many links to probes in programs the agent has: those of launches are links of their own. */
function links(pid: number | undefined): number {
  const folder = `/proc/${pid}/fdinfo`;
  const kinds = readdirSync(folder).map((fd) => {
    try {
      return /^link_type:\s*(\S+)/m.exec(readFileSync(join(folder, fd), 'utf8'))?.[1];
    } catch {
      return undefined; // closed since
    }
  });
  return kinds.filter((kind) => kind?.startsWith('uprobe')).length;
}

const until = (holds: () => boolean) =>
  expect.poll(holds, { interval: 20, timeout: LONGEST_WAIT_MS }).toBe(true);

/** One process launches throughout, recorded from inside; another one, which is not, when it is told to. */
const JOB = `JOB_REPORT="$2/first" "$1" until "$2/end" & read word <"$2/begin"
  eval "$3"; env -u CUDA_INJECTION64_PATH JOB_REPORT="$2/second" "$1" launches 20000 0.2
  echo >"$2/end"; wait`;

interface Watched {
  readonly agent: { readonly pid?: number | undefined; kill(signal: NodeJS.Signals): boolean };
  readonly second: string;
  /** Lets the shell go on that reads from it. */
  say(fifo: string): void;
}

/** `before`: what the shell does before the second process. */
async function recordBoth(before: string, whenAway: (watched: Watched) => Promise<void>) {
  const folder = scratchFolder();
  spawnSync('mkfifo', [join(folder, 'begin'), join(folder, 'go')]);
  const recording = await record(['sh', '-c', JOB, 'sh', standIn('calls'), folder, before], {
    args: ['--library', cudart],
    meanwhile: async ({ agent }) => {
      const all = links(agent.pid);
      expect(all).toBeGreaterThan(1);
      await until(() => links(agent.pid) < all);
      await whenAway({
        agent,
        second: join(folder, 'second'),
        say: (fifo) => writeFileSync(join(folder, fifo), '\n'),
      });
    },
  });
  expect(recording.code, recording.stderr).toBe(0);
  expectWhole(recording);
  const made = ['first', 'second'].map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).launches as number,
  );
  return { recording, made };
}

const kindOfCalls = ({ file }: Recording) =>
  query(
    file,
    "SELECT kind, note FROM provenance WHERE table_name = 'cuda_call' AND column_name = ''",
  )[0];

const gaps = ({ file }: Recording) =>
  query(
    file,
    "SELECT lost FROM gap JOIN name ON name.id = op_id WHERE text = 'cuda_call' AND duration_ns > 0",
  );

describeWith(['agent', 'bpf'], 'launches of a job that is recorded from inside, beside BPF', () => {
  test('are not probed after a while, and each is counted, of who comes later too', async () => {
    // Another program that the shell starts brings them back, before there is CUDA in it.
    const another = '/bin/true; read word <"$2/go"';
    const { recording, made } = await recordBoth(another, async ({ agent, say }) => {
      const few = links(agent.pid);
      say('begin');
      await until(() => links(agent.pid) > few);
      say('go');
    });
    const [first = 0, second = 0] = made;
    expect(second).toBeGreaterThan(0);
    expect(launches(recording.file, RUNTIME)).toEqual({ cudaLaunchKernel: first + second });
    expect(gaps(recording)).toEqual([]);
    expect(kindOfCalls(recording)).toEqual({
      kind: 'exact',
      note: expect.stringMatching(/not probed while all processes that use CUDA are recorded from/),
    });
  });

  test('of a process that was there before the probes were back are a gap', async () => {
    const { recording, made } = await recordBoth('', async ({ agent, second, say }) => {
      agent.kill('SIGSTOP');
      say('begin');
      await until(() => existsSync(second));
      agent.kill('SIGCONT');
    });
    const [first = 0] = made;
    const [counted = 0] = Object.values(launches(recording.file, RUNTIME));
    expect(counted).toBeGreaterThanOrEqual(first);
    expect(gaps(recording).length).toBeGreaterThan(0);
    expect(kindOfCalls(recording)).toMatchObject({ kind: 'partial' });
  });
});

/** Stretches in which launches were not probed, in order of begin. */
const unprobed = ({ file }: Recording) =>
  query(
    file,
    `SELECT start_ns, duration_ns, lost FROM gap JOIN name ON name.id = op_id
     WHERE source = 'LOST' AND text = 'launch' ORDER BY start_ns`,
  ) as { start_ns: number; duration_ns: number; lost: null }[];

/** Calls that began in such a stretch, and not within the 100 ms that an agent may be held up at either end of it. */
const callsInStretches = ({ file }: Recording, name: string) =>
  value(
    file,
    `SELECT count(*) FROM cuda_call JOIN name AS op ON op.id = cuda_call.op_id
       JOIN gap JOIN name AS lost ON lost.id = gap.op_id AND lost.text = 'launch'
     WHERE op.text LIKE '${name}' AND cuda_call.start_ns > gap.start_ns + 100000000
       AND cuda_call.start_ns < gap.start_ns + gap.duration_ns - 100000000`,
  );

const memoryOfCopies = ({ file }: Recording) =>
  query(
    file,
    `SELECT DISTINCT host_memory FROM cuda_call JOIN name ON name.id = op_id
     WHERE text = 'cudaMemcpyAsync'`,
  );

describeWith(['agent', 'bpf'], 'launches that come too fast to be probed each', () => {
  const args = ['--library', cudart, '--no-inside'];

  test('are probed in windows until there are fewer; nothing else is missing', async () => {
    const folder = scratchFolder();
    const job = `JOB_REPORT="$2/fast" "$1" launches 60000 9 50; "$1" until "$2/end"`;
    const recording = await record(['sh', '-c', job, 'sh', standIn('calls'), folder], {
      args,
      meanwhile: async ({ agent, said }) => {
        await said('notice', /probed in windows/);
        const few = links(agent.pid);
        await until(() => links(agent.pid) > few);
        await until(() => links(agent.pid) === few);
        await until(() => existsSync(join(folder, 'fast')));
        // Three windows with few launches, a pause of two seconds before each.
        await until(() => links(agent.pid) > few);
        await until(() => links(agent.pid) === few);
        await said('notice', /probed all the time again/);
        expect(links(agent.pid)).toBeGreaterThan(few);
        writeFileSync(join(folder, 'end'), '');
      },
    });
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    const { launches: fast } = JSON.parse(readFileSync(join(folder, 'fast'), 'utf8'));
    const { launches: slow } = recording.report() as { launches: number };
    const { cudaLaunchKernel: seen = 0 } = launches(recording.file, RUNTIME);
    expect(seen).toBeLessThan(fast);
    expect(seen).toBeGreaterThan(20_000);
    expect(slow).toBeGreaterThan(0);
    const stretches = unprobed(recording);
    expect(stretches.length).toBeGreaterThan(3);
    expect(stretches.every(({ lost }) => lost === null)).toBe(true);
    expect(callsInStretches(recording, 'cudaMemcpyAsync')).toBeGreaterThan(100);
    expect(callsInStretches(recording, '%Launch%')).toBe(0);
    expect(gaps(recording)).toEqual([]);
    expect(memoryOfCopies(recording)).toEqual([{ host_memory: PINNED }]);
    expect(kindOfCalls(recording)).toMatchObject({ kind: 'exact' });
    expect(
      query(recording.file, "SELECT kind, note FROM provenance WHERE table_name = 'aggregate'"),
    ).toEqual([{ kind: 'partial', note: expect.stringMatching(/Measured in windows/) }]);
  });

  // Where entry and return are probed apart (Linux 6.6 to 6.12), most launches are under way when the returns' go.
  test('are no lost calls where they were under way when their probes went', async () => {
    const recording = await record([standIn('calls'), 'launches', '0', '4.5', '200'], {
      args: ['--pretend-missing', 'uprobe_session', ...args],
    });
    expect(recording.code, recording.stderr).toBe(0);
    expect(unprobed(recording).length).toBeGreaterThan(0);
    expect(gaps(recording)).toEqual([]);
    expect(memoryOfCopies(recording)).toEqual([{ host_memory: PINNED }]);
    expect(callsInStretches(recording, '%Launch%')).toBe(0);
  });
});
