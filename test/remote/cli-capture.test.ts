import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import type { Run } from '../../src-main/shared/remote/run.ts';
import { cudart, query } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { type CliHost, type CliHostOptions, startCliHost } from '../support/remote/cli-host.ts';
import { describeWith } from '../support/requirements.ts';

/** `stalltrace check`, `capture`, `captures` and `clean` with a real SSH server and the real agent. */

let cli: CliHost | undefined;

afterEach(async () => {
  await cli?.remove();
  cli = undefined;
});

async function withHost(options: CliHostOptions = {}): Promise<CliHost> {
  cli = await startCliHost(options);
  return cli;
}

interface Event {
  readonly event: string;
  readonly [field: string]: unknown;
}

function eventsOf(stdout: string): Event[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event);
}

/** What of ours stands in the user's home on the host. */
function leftOnHost({ user }: CliHost): string[] {
  return readdirSync(user.home, { recursive: true })
    .map(String)
    .filter((path) => path.includes('stalltrace'));
}

const MIB = 2 ** 20;

/** Gives the trace of a run some 100 MB that take a second to check, as if it had been recorded so. */
function enlargeTrace({ dataFolder }: CliHost, id: string): void {
  const runs = join(dataFolder, 'remote/runs');
  const name = readdirSync(runs).find((each) => each.startsWith(id)) ?? '';
  const recordFile = join(runs, name, 'run.json');
  const record = JSON.parse(readFileSync(recordFile, 'utf8'));
  const database = new DatabaseSync(record.traceFile);
  database.exec(`
    CREATE TABLE filler (n INTEGER PRIMARY KEY, text TEXT);
    WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 2000000)
    INSERT INTO filler SELECT n, hex(randomblob(20)) FROM count`);
  database.close();
  // A host whose trace is larger than its recorder said is not believed.
  const finalBytes = statSync(record.traceFile).size;
  writeFileSync(recordFile, JSON.stringify({ ...record, finalBytes }));
}

interface Started {
  readonly pid: number;
  readonly line: string;
}

/** All that a process started, and those again. */
function startedBy(parent: number | undefined): Started[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => /^ *(\d+) +(\d+) (.*)$/.exec(row) ?? [])
    .map(([, pid, ppid, line = '']) => ({ pid: Number(pid), ppid: Number(ppid), line }));
  const below = (pid: number | undefined): Started[] =>
    all.filter(({ ppid }) => ppid === pid).flatMap((each) => [each, ...below(each.pid)]);
  return below(parent);
}

/** What a terminal shows for good: what is being done ends with an ellipsis. */
function sentencesOf(screen: string): string[] {
  return screen
    .split(/[\r\n]+/)
    .map((line) => line.replace('\u001b[K', ''))
    .filter((line) => line !== '' && !line.endsWith('…'));
}

/** Not one that ended and was not waited for yet. */
function isRunning(pid: number): boolean {
  return (
    existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  );
}

const train = (report: string) =>
  `/usr/bin/python3 ${root}/test/agent/jobs/dataloader.py --library ${cudart} --report ${report}`;
const RUN_ID = /as ([0-9a-f]{8}); it ends by itself/;

/** The one investigation of the library. */
async function libraryOf({ run }: CliHost) {
  const { stdout } = await run(['library', '--json']);
  return JSON.parse(stdout).investigations as readonly {
    readonly name: string;
    readonly path: string;
    readonly machine?: string;
    readonly found?: { readonly kind: string; readonly text: string };
  }[];
}

describeWith(['sshServer', 'agent', 'bpf'], 'a host where all can be captured', () => {
  test('check says so, and leaves nothing there', async () => {
    const host = await withHost();
    const checked = await host.run(['check', ...host.target, '--json']);
    expect(checked.code, checked.stderr).toBe(0);
    expect(eventsOf(checked.stdout)).toMatchObject([
      { event: 'connected', host: { user: host.user.name, transport: 'ssh2' } },
      { event: 'preflight', preflight: { mode: 'full', privilege: 'sudo' } },
    ]);
    const text = await host.run(['check', ...host.target]);
    expect(text.stdout).toMatch(/^Machine and kernel\n {2}Architecture +ok +x86_64/);
    expect(text.stderr).toMatch(/^Signed in to [^\n]*\n$/);
    const atTerminal = host.startAtTerminal(['check', ...host.target, '--json']);
    expect(eventsOf((await atTerminal.ended).stdout)).toMatchObject([
      { event: 'connected' },
      { event: 'preflight' },
    ]);
    expect(leftOnHost(host)).toEqual([]);
  });

  test('a command is captured, its trace brought back, and nothing is left', async () => {
    const host = await withHost();
    const out = join(host.home, 'out.db');
    // So that there is a second to record.
    const command = ['--', 'echo "it is $((40 + 2))" > said; sleep 1.5'];
    const captured = await host.run(['capture', ...host.target, '--out', out, ...command]);
    expect(captured.code, captured.stderr).toBe(0);
    // Its shell ran it, as the user who signed in.
    const said = join(host.user.home, 'said');
    expect(readFileSync(said, 'utf8')).toBe('it is 42\n');
    expect(statSync(said).uid).toBe(host.user.uid);
    expect(captured.stderr).toMatch(/Expected cost: about \+\d\.\d % run time/);
    expect(captured.stdout).toMatch(/^Nothing of Stalltrace is left on \S+: [\d.]+ MiB freed\.$/m);
    expect(captured.stdout).toMatch(/^Why the GPU waited: stalltrace explain \S+out\.db$/m);
    expect(leftOnHost(host)).toEqual([]);
    const [entry, ...more] = await libraryOf(host);
    expect(more).toEqual([]);
    // No CUDA call was made: the list says so, and so did the command.
    expect(entry?.found).toMatchObject({ kind: 'unclear' });
    expect(entry?.found?.text).toMatch(/no CUDA calls/);
    expect(captured.stdout.split('\n')).toContain(entry?.found?.text);
    // What the command was given is not kept: it may be a secret.
    expect(entry?.name).toMatch(/^st\S+: echo …, \d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(readFileSync(out)).toEqual(readFileSync(entry?.path ?? ''));
    expect(query(out, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect((await host.run(['captures'])).stdout).toBe(
      'No capture runs, and none has a trace left to bring back.\n',
    );
  });

  test('each line of --json is an object, from sign-in to the entry', async () => {
    const host = await withHost();
    const args = ['capture', ...host.target, '--json', '--duration', '2s', '--all'];
    const captured = await host.run(args);
    expect(captured.code, captured.stderr).toBe(0);
    expect(captured.stderr).toBe('');
    const events = eventsOf(captured.stdout);
    const names = events.map(({ event }) => event);
    expect(names.slice(0, 2)).toEqual(['connected', 'cost']);
    expect(names).toContain('run');
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      investigation: { id: 1, storage: 'copied' },
      cleanUp: { left: [] },
      diagnosis: { verdict: expect.any(String), headline: expect.stringMatching(/./) },
    });
  });

  test('Ctrl+C ends the capture and brings back what there is; the job goes on', async () => {
    const host = await withHost();
    const job = spawn('sleep', ['60'], { uid: host.user.uid });
    try {
      const running = host.startAtTerminal([
        'capture',
        ...host.target,
        '--pid',
        String(job.pid),
        '--duration',
        '10min',
      ]);
      await expect.poll(() => running.stdout()).toMatch(/Start\? \[Y\/n\] $/);
      running.type('\r');
      await expect.poll(() => running.stdout()).toMatch(/Recording \d+ of 600/);
      running.type('\u0003');
      const { code, stdout } = await running.ended;
      expect(code, `ended with ${code}: ${stdout.slice(-600)}`).toBe(0);
      expect(stdout).toMatch(/Stopping; Ctrl\+C again leaves it running\./);
      expect(stdout).toMatch(/In your library: \S+: .*pid \d+/);
      expect(job.exitCode).toBeNull();
      expect(leftOnHost(host)).toEqual([]);
    } finally {
      job.kill();
    }
  });

  test('an agent that is kept is told, until the host is cleaned', async () => {
    const host = await withHost();
    const args = ['capture', ...host.target, '--keep-agent', '--duration', '1s', '--all'];
    const captured = await host.run(args);
    expect(captured.code, captured.stderr).toBe(0);
    expect(captured.stdout).toMatch(/freed\. Left there:\n {2}\/\S+: the agent stays for the next/);
    expect(leftOnHost(host)).not.toEqual([]);
    const cleaned = await host.run(['clean', ...host.target]);
    expect(cleaned.stdout).toMatch(/^Nothing of Stalltrace is left on /);
    expect(leftOnHost(host)).toEqual([]);
  });

  test('one that is left goes on by itself, and is brought back later', async () => {
    const host = await withHost();
    const args = ['capture', ...host.target, '--detach', '--duration', '3s', '--all'];
    const left = await host.run(args);
    expect(left.code, left.stderr).toBe(0);
    const [, id = ''] = RUN_ID.exec(left.stdout) ?? [];
    const listed = await host.run(['captures']);
    expect(listed.stdout).toMatch(new RegExp(`^ {2}#${id}  .*recording .*the whole machine$`, 'm'));
    // It is waited for where it still records.
    const brought = await host.run(['captures', '--bring', id]);
    expect(brought.code, brought.stderr).toBe(0);
    expect(brought.stdout).toMatch(/^In your library: /);
    expect(leftOnHost(host)).toEqual([]);
    expect(await libraryOf(host)).toHaveLength(1);
  });

  test('Ctrl+C while the trace is checked ends it at once; what is here is not fetched again', async () => {
    const host = await withHost();
    const args = ['capture', ...host.target, '--detach', '--duration', '1s', '--all'];
    const [, id = ''] = RUN_ID.exec((await host.run(args)).stdout) ?? [];
    const stopped = await host.run(['captures', '--stop', id]);
    expect(stopped.code, stopped.stderr).toBe(0);
    enlargeTrace(host, id);
    const running = host.startAtTerminal(['captures', '--bring', id]);
    const screen = () => running.stdout();
    await expect.poll(screen, { interval: 10, timeout: 60_000 }).toMatch(/Checking the trace …/);
    // The process that checks starts after the word.
    let started: Started[] = [];
    const checker = () => {
      started = startedBy(running.child.pid);
      return started.find(({ line }) => line.includes('trace-process.js'))?.pid;
    };
    const checking = await vi.waitUntil(checker, { interval: 10, timeout: 60_000 });
    // A check that takes as long as it likes: it must not be done before the key is heard.
    process.kill(checking, 'SIGSTOP');
    running.type('\u0003');
    const { code, stdout } = await running.ended;
    expect(code, `ended with ${code}: ${stdout.slice(-600)}`).toBe(130);
    const said = `stalltrace: Cancelled: what is here stays, and stalltrace captures --bring ${id} goes on with it.`;
    expect(sentencesOf(stdout.slice(stdout.indexOf('^C')))).toEqual(['^C', said]);
    for (const { pid } of started) expect(isRunning(pid), String(pid)).toBe(false);
    const brought = await host.run(['captures', '--bring', id, '--json']);
    expect(brought.code, brought.stderr).toBe(0);
    const fetched = eventsOf(brought.stdout)
      .map(({ run }) => (run as Run | undefined)?.transfer)
      .filter((transfer) => transfer?.step === 'downloading' || transfer?.step === 'verifying');
    expect(fetched).not.toEqual([]);
    for (const transfer of fetched) expect(transfer?.wireBytes).toBeLessThan(MIB);
    expect(await libraryOf(host)).toHaveLength(1);
    expect(leftOnHost(host)).toEqual([]);
  });

  test('a command line that was killed while it recorded loses nothing', async () => {
    const host = await withHost();
    const running = host.start(['capture', ...host.target, '--duration', '4s', '--all']);
    await expect.poll(() => running.stderr()).toMatch(/info: |Recording/);
    running.child.kill('SIGKILL');
    await running.ended;
    const runs = eventsOf((await host.run(['captures', '--json'])).stdout)[0]?.runs;
    const [{ id = '' } = {}] = (runs ?? []) as readonly { readonly id?: string }[];
    const brought = await host.run(['captures', '--bring', id.slice(0, 6)]);
    expect(brought.code, brought.stderr).toBe(0);
    expect(await libraryOf(host)).toHaveLength(1);
    expect(leftOnHost(host)).toEqual([]);
  });

  test('a lost connection is said and made anew; the capture goes on meanwhile', async () => {
    const host = await withHost();
    const running = host.start(['capture', ...host.target, '--duration', '6s', '--all']);
    await expect.poll(() => running.stderr()).toMatch(/info: |Recording/);
    host.host.signalConnections('SIGKILL');
    await expect.poll(() => running.stderr()).toMatch(/Still recording there; reconnecting …/);
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^In your library: /);
    const [entry] = await libraryOf(host);
    const info = JSON.parse((await host.run(['info', entry?.path ?? '', '--json'])).stdout);
    expect(info.timeRange.lengthNs).toBeGreaterThan(5e9);
  });

  test('abandoning deletes it there; what is there twice is kept once', async () => {
    const host = await withHost();
    const detach = ['capture', ...host.target, '--detach', '--duration', '10min', '--all'];
    const [, first = ''] = RUN_ID.exec((await host.run(detach)).stdout) ?? [];
    const [, second = ''] = RUN_ID.exec((await host.run(detach)).stdout) ?? [];
    expect(first).not.toBe(second);
    const abandoned = await host.run(['captures', '--abandon', first]);
    expect(abandoned.code, abandoned.stderr).toBe(0);
    // The other one is stopped by itself, and what stays is its.
    const stopped = await host.run(['captures', '--stop', second]);
    expect(stopped.code, stopped.stderr).toBe(0);
    const cleaned = await host.run(['clean', ...host.target]);
    expect(cleaned.stdout).toMatch(/a capture still needs the agent/);
    expect((await host.run(['captures', '--bring', second])).code).toBe(0);
    expect(leftOnHost(host)).toEqual([]);
  });
});

describeWith(
  ['sshServer', 'agent', 'bpf', 'torch', 'reachable'],
  'a training job on a host',
  () => {
    test('is captured with its workers, and explained from the library', async () => {
      const host = await withHost();
      const report = join(host.user.home, 'report.json');
      const args = ['capture', ...host.target, '--duration', '30s', '--', train(report)];
      const captured = await host.run(args);
      expect(captured.code, captured.stderr).toBe(0);
      expect(existsSync(report)).toBe(true);
      const [entry] = await libraryOf(host);
      const explained = await host.run([
        'explain',
        entry?.path ?? '',
        '--slowest',
        'cudaMemcpyAsync',
      ]);
      expect(explained.code, explained.stderr).toBe(0);
      expect(explained.stdout).toMatch(/^cudaMemcpyAsync at /);
    });
  },
);

describeWith(['sshServer', 'agent', 'bpf'], 'rights', () => {
  test('a user without sudo launches, and is told what that cannot show', async () => {
    const host = await withHost({ user: { sudo: 'none' } });
    const checked = await host.run(['check', ...host.target]);
    expect(checked.code, checked.stderr).toBe(4);
    expect(checked.stdout).toMatch(/^It cannot see:$/m);
    // Time to be recorded in.
    const args = ['capture', ...host.target, '--duration', '10s', '--', 'sleep 1'];
    const captured = await host.run(args);
    expect(captured.code, captured.stderr).toBe(0);
    expect(captured.stderr).toMatch(/warning: CUDA calls and the GPU’s work are exact/);
    expect(leftOnHost(host)).toEqual([]);
  });

  test('check says at a terminal what it does, before and after the password', async () => {
    const host = await withHost({ user: { sudo: 'password' } });
    const running = host.startAtTerminal(['check', ...host.target]);
    await expect.poll(() => running.stdout()).toMatch(/for sudo on \S+ \(Ctrl\+D: without\): $/);
    expect(running.stdout()).toMatch(/Connecting to \S+ …/);
    // Nothing of what was being done stands before the question.
    expect(running.stdout().split('\r\u001b[K').at(-1)).toMatch(/^Password of /);
    const asked = running.stdout().length;
    running.type(`${host.user.password}\r`);
    const { code, stdout } = await running.ended;
    expect(code, `ended with ${code}: ${stdout.slice(-600)}`).toBe(0);
    const [steps = ''] = stdout.slice(asked).split('Machine and kernel');
    const shown = steps
      .split(/[\r\n]+/)
      .map((line) => line.replace('\u001b[K', ''))
      .filter((line) => line !== '');
    expect(shown).toEqual([
      'Trying sudo …',
      expect.stringMatching(/^Putting the agent on the host: /),
      ...shown.filter((line) => line.startsWith('Putting the agent')).slice(1),
      'Trying what the kernel allows …',
      'Looking for other captures, and at the clock …',
      'Listing the processes …',
    ]);
  });

  test('sudo’s password is asked for unseen, and is nowhere afterwards', async () => {
    const host = await withHost({ user: { sudo: 'password' } });
    const args = ['capture', ...host.target, '--yes', '--duration', '2s', '--all'];
    const running = host.startAtTerminal(args);
    await expect.poll(() => running.stdout()).toMatch(/for sudo on \S+ \(Ctrl\+D: without\): $/);
    running.type(`${host.user.password}\r`);
    const { code, stdout } = await running.ended;
    expect(code, `ended with ${code}: ${stdout.slice(-600)}`).toBe(0);
    const [entry] = await libraryOf(host);
    for (const file of [entry?.path ?? '', ...filesBelow(host.dataFolder)])
      expect(readFileSync(file, 'latin1'), file).not.toContain(host.user.password);
    expect(stdout).not.toContain(host.user.password);
    expect(leftOnHost(host)).toEqual([]);
  });
});

describeWith(['sshServer', 'agent'], 'what cannot be', () => {
  test('is one sentence, on stderr and as JSON', async () => {
    const host = await withHost();
    writeFileSync(join(host.home, 'there.db'), 'precious');
    const exists = await host.run(['capture', ...host.target, '--all', '--out', 'there.db']);
    expect(exists).toMatchObject({ code: 1, stdout: '' });
    expect(exists.stderr).toMatch(/there\.db exists already: choose another name, or add --force/);
    const gone = await host.run(['capture', ...host.target, '--pid', '4194000', '--json']);
    expect(gone.code).toBe(1);
    expect(eventsOf(gone.stdout).at(-1)).toMatchObject({ event: 'error' });
    expect(gone.stderr).toMatch(/^stalltrace: [^\n]*4194000[^\n]*\n$/);
    expect(leftOnHost(host)).toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
