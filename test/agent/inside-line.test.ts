import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pastedLine } from '../../src-main/shared/remote/pasted-line.ts';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import {
  agentPath,
  cudart,
  event,
  query,
  type Recording,
  standIn,
  value,
} from '../support/agent/agent-run.ts';
import { type Notebook, startNotebook, startPublished } from '../support/agent/notebook.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** A process that runs already comes into a capture by a line that is pasted into it. */

const COPY = 2;
/** As this agent's: with another version the library would refuse whoever it is. */
const RING_VERSION = Number(
  /^#define INSIDE_VERSION (\d+)$/m.exec(
    readFileSync(join(root, 'agent/inside/ring.h'), 'utf8'),
  )?.[1],
);
const RING_BYTES = 8192 + 1024 * (64 + 512 + 16_384);
/** Captures of other processes may run on the machine. */
const NOBODY = /no capture of Stalltrace waits|the capture that runs is of another process/;
const driver = { STALLTRACE_STAND_IN_DRIVER: standIn('libcuda.so.1') };

function callsOf(file: string): unknown[][] {
  return query(
    file,
    `SELECT name.text, count(*), sum(return_code = 0) FROM cuda_call JOIN name ON name.id = op_id
     WHERE layer = 1 GROUP BY 1 ORDER BY 1`,
  ).map((row) => Object.values(row));
}

const exactly = (count: number) =>
  ['cudaFree', 'cudaMalloc', 'cudaMemcpy'].map((name) => [name, count, count]);

const copies = (file: string) =>
  value(file, `SELECT count(call_id) FROM gpu_work WHERE kind = ${COPY}`);

function notices(file: string): string {
  const rows = query(file, 'SELECT text FROM notice');
  return rows.map(({ text }) => String(text)).join('\n');
}

function gaps(file: string): unknown[][] {
  return query(
    file,
    `SELECT name.text, start_ns, lost FROM gap JOIN name ON name.id = op_id
     WHERE duration_ns > 0 ORDER BY 1`,
  ).map((row) => Object.values(row));
}

function provenance(file: string, table: string): unknown {
  return value(
    file,
    `SELECT kind FROM provenance WHERE table_name = '${table}' AND column_name = ''`,
  );
}

const lineOf = (events: Recording['events']) =>
  String(events.find((each) => each.event === 'started')?.inside_line);

/** A copy of it, which puts the library beside itself. */
function agentInFolder(name: string): string {
  const folder = join(scratchFolder(), name);
  mkdirSync(folder);
  copyFileSync(agentPath, join(folder, 'stalltrace-agent'));
  return join(folder, 'stalltrace-agent');
}

/** Captured while `work` is done, with the line that the agent gives. */
function capture(
  pids: readonly number[],
  work: (line: string, said: (pattern: RegExp) => Promise<void>) => Promise<void>,
  args: readonly string[] = ['--no-bpf'],
  agent = agentPath,
): Promise<Recording> {
  return record([], {
    agent,
    args: [...args, ...pids.flatMap((pid) => ['--pid', String(pid)])],
    meanwhile: async ({ agent, events, said }) => {
      await work(lineOf(events()), (pattern) => said('notice', pattern));
      agent.kill('SIGINT');
    },
  });
}

describeWith(['agent'], 'a process that runs already', () => {
  test('comes in by the pasted line: before it calls are missing, after it exact', async () => {
    const notebook = await startNotebook();
    await notebook.run('calls 7');
    const first = await capture([notebook.pid], async (line, said) => {
      await notebook.run('calls 3');
      expect(await notebook.run(line)).toMatch(/^Recorded by Stalltrace from now on/);
      await said(/has come in/);
      expect(await notebook.run(line)).toBe('Recorded by Stalltrace already.');
      await notebook.run('calls 20');
    });
    expectWhole(first);
    expect(event(first, 'started')).toMatchObject({ mode: 'sampled' });
    expect(callsOf(first.file)).toEqual(exactly(20));
    expect(copies(first.file)).toBe(20);
    expect(gaps(first.file)).toEqual([
      ['cuda_call', 0, null],
      ['gpu_work', 0, null],
    ]);
    expect(notices(first.file)).toMatch(/came in .* s after the capture began.*graphs/);
    expect(provenance(first.file, 'cuda_call')).toBe('partial');
    const stacks = 'SELECT count(stack_id) FROM cuda_call WHERE duration_ns > 0';
    expect(value(first.file, stacks)).toBeGreaterThanOrEqual(20);

    // Once more, to the process's own end: what its GPU did last is there too.
    await expect
      .poll(async () => {
        await notebook.run('calls 1');
        return notebook.run(lineOf(first.events));
      })
      .toMatch(NOBODY);
    const second = await capture([notebook.pid], async (line) => {
      expect(await notebook.run(line)).toMatch(/^Recorded by Stalltrace from now on/);
      await notebook.run('calls 5');
      await notebook.end();
    });
    expect(callsOf(second.file)).toEqual(exactly(5));
    expect(copies(second.file)).toBe(5);
    expect(gaps(second.file)).toHaveLength(2);
  });

  test('is told in the pasted line’s answer why it is not recorded', async () => {
    const [chosen, early] = await Promise.all([startNotebook(), startNotebook({ args: [] })]);
    const [without, later] = await Promise.all([
      capture([chosen.pid], async () => {}, ['--no-bpf', '--inside']),
      capture(
        [early.pid],
        async (line) => {
          expect(pastedLine.safeParse(line).success, line).toBe(true);
          expect(await early.run(line)).toMatch(/no libcupti .* Import torch first/);
          await early.run('load');
          expect(await early.run(line)).toMatch(/^Recorded by Stalltrace from now on/);
          await early.run('calls 4');
        },
        ['--no-bpf'],
        agentInFolder(String.raw`it's "one" \ folder`),
      ),
    ]);
    expect(event(without, 'started')).toMatchObject({ mode: 'inside' });
    expect(provenance(without.file, 'cuda_call')).toBe('absent');
    expect(notices(without.file)).toMatch(
      /Nothing was recorded from inside: CUDA calls would be there .* import ctypes/,
    );
    expect(callsOf(later.file)).toEqual(exactly(4));
    expect(notices(later.file)).not.toMatch(/libcupti/);
  });

  test.each([
    ['libcudart.so.11.0', 'nvidia-cuda-cupti-cu11'],
    ['libcudart.so.13', 'nvidia-cuda-cupti'],
  ])('is told which package has the CUPTI of %s', async (name, packageName) => {
    const folder = scratchFolder();
    copyFileSync(cudart, join(folder, name));
    // In the place of those that this machine may have.
    for (const other of ['libcupti.so.11.8', 'libcupti.so.13'])
      writeFileSync(join(folder, other), '');
    const notebook = await startNotebook({ args: [], env: { LD_LIBRARY_PATH: folder } });
    await notebook.run(`import ctypes; ctypes.CDLL(${JSON.stringify(join(folder, name))})`);
    const recording = await capture([notebook.pid], async (line) => {
      expect(await notebook.run(line)).toMatch(new RegExp(` install ${packageName}\\.$`));
    });
    expect(notices(recording.file)).toContain(
      `install the package ${packageName} (pip) beside PyTorch (${join(folder, name)})`,
    );
  });

  test('is told who holds CUPTI, where somebody does', async () => {
    const notebook = await startNotebook({ env: { STALLTRACE_STAND_IN_CUPTI: 'taken' } });
    await capture([notebook.pid], async (line) => {
      expect(await notebook.run(line)).toMatch(
        /^Not recorded: another profiler holds CUPTI, which serves one at a time: .* it is PyTorch's own: /,
      );
    });
  });

  test('has each rank come in by itself, and the others named', async () => {
    const start = async () => {
      const ranks = await startNotebook({ args: ['--ranks', '2'], env: driver });
      // They have loaded CUDA by then.
      for (const rank of [0, 1]) await ranks.run(`rank ${rank} pass`);
      return ranks;
    };
    const [job, whole] = await Promise.all([start(), start()]);
    const [one, both] = await Promise.all([
      capture([job.pid], async (line, said) => {
        expect(await job.run(`rank 1 ${line}`)).toMatch(/^Recorded/);
        await said(/process \d+ \(rank 0\)/);
        for (const rank of [0, 1]) await job.run(`rank ${rank} calls 6`);
      }),
      capture([whole.pid], async (line) => {
        for (const rank of [0, 1]) {
          expect(await whole.run(`rank ${rank} ${line}`)).toMatch(/^Recorded/);
          await whole.run(`rank ${rank} calls 6`);
        }
      }),
    ]);
    expect(callsOf(one.file)).toEqual(exactly(6));
    expect(notices(one.file)).toMatch(/Not recorded from inside: process \d+ \(rank 0\)/);
    const processes = 'SELECT count(DISTINCT process_id) FROM gpu_work';
    expect(callsOf(both.file)).toEqual(exactly(12));
    expect(value(both.file, processes)).toBe(2);
    expect(notices(both.file)).not.toMatch(/did not come in/);
  });
});

const CALLS_ALONE =
  /^Recorded by Stalltrace, but not what the GPU does\..* a library imports; not /;
const COPIES = `SELECT count(*) FROM cuda_call JOIN name ON name.id = op_id
  WHERE name.text = 'cudaMemcpyAsync' AND return_code = 0`;

/** A folder with CUDA and a library that imports it, and what loads that. */
function withoutCupti() {
  const folder = scratchFolder();
  for (const name of ['libcudart.so.12', 'libcopies.so'])
    copyFileSync(standIn(name), join(folder, name));
  const library = JSON.stringify(join(folder, 'libcopies.so'));
  return { folder, load: `import ctypes; c = ctypes.CDLL(${library}); c.copyTimes(1)` };
}

const insideOf = (file: string) =>
  JSON.parse(String(value(file, "SELECT value FROM meta WHERE key = 'inside'")));

describeWith(['agent'], 'a process that runs already, without CUPTI', () => {
  test('has the calls that a library imports, and more once CUPTI is there', async () => {
    const { folder, load } = withoutCupti();
    const notebook = await startNotebook({ args: [] });
    const copy = (count: number) => notebook.run(`print(c.copyTimes(${count}))`);
    const recording = await capture([notebook.pid], async (line, said) => {
      expect(await notebook.run(line)).toMatch(/^Not recorded: .*no libcupti .* Import torch/);
      await notebook.run(load);
      const answer = await notebook.run(line);
      expect(answer).toMatch(CALLS_ALONE);
      expect(answer).toMatch(/install nvidia-cuda-cupti-cu12/);
      await said(/has come in, without CUPTI/);
      expect(await copy(20)).toBe('20');
      expect(await notebook.run(line)).toBe(answer);
      expect(await copy(5)).toBe('5');
      copyFileSync(standIn('libcupti.so.12'), join(folder, 'libcupti.so.12'));
      expect(await notebook.run(line)).toMatch(/^Recorded by Stalltrace from now on/);
      expect(await copy(7)).toBe('7');
    });
    expectWhole(recording);
    expect(value(recording.file, COPIES)).toBe(32);
    expect(copies(recording.file)).toBe(7);
    for (const table of ['cuda_call', 'gpu_work'])
      expect(provenance(recording.file, table)).toBe('partial');
    // One after the other, from the begin to when CUPTI was there.
    const missing = `SELECT name.text, count(*), sum(duration_ns) = max(start_ns + duration_ns) AND
        max(start_ns + duration_ns) <= (SELECT min(start_ns) FROM gpu_work WHERE kind = ${COPY})
      FROM gap JOIN name ON name.id = op_id GROUP BY 1`;
    expect(query(recording.file, missing).map((row) => Object.values(row))).toEqual([
      ['cuda_call', 3, 0],
      ['gpu_work', 3, 1],
    ]);
    expect(notices(recording.file)).toMatch(/what the GPU did was not recorded, .*no libcupti/);
    expect(insideOf(recording.file)).toMatchObject({ way: 'line', processes: 1, by_imports: 1 });
  });

  test('comes into a later capture anew, and is left as it was in between', async () => {
    const { load } = withoutCupti();
    const notebook = await startNotebook({ args: [] });
    await notebook.run(load);
    const leads = 'print(c.copyLeadsTo())';
    const before = await notebook.run(leads);
    const again = () =>
      capture(
        [notebook.pid],
        async (line) => {
          // While the capture before is being ended the line says so, and to paste it again.
          let answer = '';
          await expect.poll(async () => (answer = await notebook.run(line))).toMatch(CALLS_ALONE);
          expect(answer).toMatch(/--no-cupti/);
          expect(await notebook.run(leads)).not.toBe(before);
          await notebook.run('c.copyTimes(9)');
        },
        ['--no-bpf', '--inside', '--no-cupti'],
      );
    for (const recording of [await again(), await again()]) {
      expect(value(recording.file, COPIES)).toBe(9);
      expect(provenance(recording.file, 'cuda_call')).toBe('partial');
      expect(provenance(recording.file, 'gpu_work')).toBe('absent');
    }
    await expect.poll(() => notebook.run(leads)).toBe(before);
    await notebook.end();
    expect(notebook.process.exitCode).toBe(0);
  });
});

describeWith(['agent'], 'a process that is asked to come in (--remote-python)', () => {
  const args = ['--no-bpf', '--inside', '--remote-python'];

  test('does so between two bytecodes, and its calls are exact from then on', async () => {
    const job = await startPublished(driver);
    const recording = await capture(
      [job.pid],
      async (_line, said) => {
        await expect.poll(() => job.run('bytecode')).toMatch(/^ran a file of user/);
        await said(/has come in/);
        await job.run('calls 8');
      },
      args,
    );
    expect(callsOf(recording.file)).toEqual(exactly(8));
    expect(copies(recording.file)).toBe(8);
    expect(recording.stderr).not.toMatch(/can't be asked/);
  });

  test('is left alone where it was started so, or is no 3.14, and nothing stays behind', async () => {
    let script = '';
    const [off, older, asleep, python] = await Promise.all([
      startPublished({ PYTHON_DISABLE_REMOTE_DEBUG: '1' }),
      startPublished({ STALLTRACE_PUBLISHED_VERSION: '030d01f0' }),
      startPublished(),
      startNotebook(),
    ]);
    const refused = (job: Notebook, why: RegExp) =>
      capture([job.pid], async (_line, said) => said(why), args);
    const recordings = await Promise.all([
      refused(off, /can't be asked .* PYTHON_DISABLE_REMOTE_DEBUG/),
      refused(older, /can't be asked .* CPython 3\.13\.1, and only 3\.14/),
      refused(python, /can't be asked .* CPython 3\.\d+/),
      capture(
        [asleep.pid],
        async () => {
          await expect.poll(() => asleep.run('asked')).toMatch(/^\/tmp\//);
          script = await asleep.run('asked');
          expect(statSync(script).mode & 0o777).toBe(0o400);
        },
        args,
      ),
    ]);
    for (const recording of recordings) expect(recording.code, recording.stderr).toBe(0);
    for (const job of [off, older, asleep]) expect(await job.run('bytecode')).toBe('nothing');
    expect(existsSync(script)).toBe(false);
  });
});

/** Takes the first free place where processes are waited for, as another user, and hands memory to who asks. */
async function squat(): Promise<void> {
  const script = [
    'import os, socket, struct',
    's = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)',
    'for n in range(16):',
    '  try: s.bind(f"\\0stalltrace-inside-at-{n:02}"); break',
    '  except OSError: pass',
    `size = ${RING_BYTES}`,
    `version = struct.pack("<I", ${RING_VERSION})`,
    's.listen(9); print("here", flush=True)',
    'while True:',
    '  c, _ = s.accept(); m = os.memfd_create("x"); os.truncate(m, size); os.pwrite(m, version, 0)',
    '  try: socket.send_fds(c, [version + struct.pack("<IQ", 0, size)], [m])',
    '  except OSError: pass',
    '  c.close(); os.close(m)',
  ].join('\n');
  const child = spawn('/usr/bin/python3', ['-c', script], {
    uid: 65_533,
    gid: 65_533,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
}

describeWith(['agent', 'root'], 'beside another user', () => {
  test('neither side takes a stranger for the other', async () => {
    await squat();
    const notebook = await startNotebook();
    const user = await startNotebook({
      through: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
    });
    const work = async (chosen: Notebook, line: string) => {
      expect(await chosen.run(line)).toMatch(/^Recorded/);
      await chosen.run('calls 9');
    };
    const own = await capture([notebook.pid], async (line) => {
      expect(await user.run(line)).toMatch(/of another process/);
      await work(notebook, line);
    });
    // Root's agent records a user's process too, where that one was chosen.
    const theirs = await capture([user.pid], (line) => work(user, line));
    for (const { file } of [own, theirs]) {
      expect(callsOf(file)).toEqual(exactly(9));
      expect(copies(file)).toBe(9);
    }
  });
});

describeWith(['agent', 'bpf'], 'a process that BPF records', () => {
  test('has its calls by BPF until the line is pasted, each once, and then what the GPU does', async () => {
    const notebook: Notebook = await startNotebook();
    const recording = await capture(
      [notebook.pid],
      async (line) => {
        await notebook.run('calls 10');
        expect(await notebook.run(line)).toMatch(/^Recorded/);
        await notebook.run('calls 20');
      },
      [],
    );
    expectWhole(recording);
    expect(event(recording, 'started')).toMatchObject({ mode: 'full' });
    expect(callsOf(recording.file)).toEqual(exactly(30));
    expect(copies(recording.file)).toBe(20);
    expect(gaps(recording.file)).toEqual([['gpu_work', 0, null]]);
    expect(provenance(recording.file, 'cuda_call')).toBe('exact');
  });

  test('is told what --no-cupti leaves: BPF’s calls, or those of imports where it insists', async () => {
    const { load } = withoutCupti();
    const notebook = await startNotebook({ args: [] });
    await notebook.run(load);
    const copying = (args: readonly string[], answer: RegExp) =>
      capture(
        [notebook.pid],
        async (line) => {
          expect(await notebook.run(line)).toMatch(answer);
          await notebook.run('c.copyTimes(8)');
        },
        args,
      );
    const byBpf = await copying(['--no-cupti'], /^Nothing changes: .* by BPF/);
    const insisted = await copying(['--no-cupti', '--inside'], CALLS_ALONE);
    for (const { file } of [byBpf, insisted]) {
      expect(value(file, COPIES)).toBe(8);
      expect(provenance(file, 'gpu_work')).toBe('absent');
    }
    expect(notices(byBpf.file)).toMatch(/was not recorded from inside, because .*--no-cupti/);
    expect(notices(byBpf.file)).not.toMatch(/Nothing was recorded/);
    expect(insideOf(byBpf.file)).toMatchObject({ way: 'line', processes: 0, by_imports: 0 });
    expect(insideOf(insisted.file)).toMatchObject({ way: 'line', processes: 0, by_imports: 1 });
  });
});
