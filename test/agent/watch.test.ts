import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../support/agent/agent.ts';
import { agentPath } from '../support/agent/agent-run.ts';
import { commandUntil } from '../support/agent/outlasting-job.ts';
import { describeWith } from '../support/requirements.ts';

/** `watch`: what a run in the background says. Without BPF: it starts sooner. */

interface Line {
  readonly event: string;
  readonly [key: string]: unknown;
}

interface Watcher {
  readonly process: ChildProcess;
  text(): string;
  lines(): Line[];
  /** Its exit code. */
  ended(): Promise<number | null>;
}

interface Run {
  readonly id: string;
  readonly folder: string;
  readonly pid: number;
}

let runs: string;

beforeEach(() => {
  runs = join(scratchFolder(), 'runs');
});

function agent(...args: string[]) {
  return spawnSync(agentPath, args, { encoding: 'utf8', timeout: 30_000 });
}

/** A capture in the background, ended after the test at the latest. */
function startRun(args: readonly string[], ...command: string[]): Run {
  const out = join(scratchFolder(), 'a.trace.db');
  const where = ['--no-bpf', '--detach', '--json', '--run-dir', runs, '--out', out];
  const target = command.length > 0 ? ['--', ...command] : [];
  const { stdout, stderr } = agent('record', ...where, ...args, ...target);
  const detached = parse(stdout).at(-1);
  expect(detached?.event, stderr).toBe('detached');
  const { run_id: id, run_directory: folder, pid } = detached as Line;
  onTestFinished(() => {
    // It may wait for its command still.
    if (isAlive(Number(pid))) process.kill(Number(pid), 'SIGKILL');
  });
  return { id: String(id), folder: String(folder), pid: Number(pid) };
}

function isAlive(pid: number): boolean {
  try {
    // Not one that ended and whose parent takes no notice.
    return /^\d+ \(stalltrace[^)]*\) [^ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function stopRun(run: Run): void {
  expect(agent('stop', '--run', run.id, '--run-dir', runs).status).toBe(0);
}

function watch(id: string): Watcher {
  const child = spawn(agentPath, ['watch', '--run', id, '--run-dir', runs]);
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => (text += data));
  const closed = once(child, 'close');
  return {
    process: child,
    text: () => text,
    lines: () => parse(text),
    async ended() {
      await closed;
      return child.exitCode;
    },
  };
}

function parse(text: string): Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** What the run itself said, without what `watch` adds. */
function said(lines: readonly Line[]): Line[] {
  return lines.filter(({ event }) => event !== 'alive');
}

function names(lines: readonly Line[]): string[] {
  return lines.map(({ event }) => event);
}

function expectEachOnceInOrder(lines: readonly Line[]): void {
  const times = said(lines).map(({ time_unix_ns: time }) => Number(time));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const texts = said(lines).map((line) => JSON.stringify(line));
  expect(new Set(texts).size).toBe(texts.length);
}

describeWith(['agent'], 'watch', () => {
  test('follows a run to its end, its progress as often as it comes', async () => {
    const over = join(scratchFolder(), 'over');
    const run = startRun([], ...commandUntil(over));
    const watcher = watch(run.id);
    const count = (name: string) => names(watcher.lines()).filter((each) => each === name).length;
    await expect.poll(() => Math.min(count('progress'), count('alive') + 1)).toBeGreaterThan(3);
    writeFileSync(over, '');
    expect(await watcher.ended()).toBe(0);
    const lines = watcher.lines();
    expectEachOnceInOrder(lines);
    expect(names(said(lines)).filter((name) => name !== 'notice')).toEqual([
      'started',
      ...Array.from({ length: count('progress') }, () => 'progress'),
      'target-exited',
      'finished',
    ]);
    expect(lines.find(({ event }) => event === 'alive')).toMatchObject({
      v: 1,
      run_id: run.id,
      state: 'running',
      process_alive: true,
      heartbeat_age_ns: expect.any(Number),
    });
    expect(lines.at(-1)).toMatchObject({
      event: 'alive',
      state: 'finished',
      process_alive: false,
    });
  });

  test('that begins late has all but the progress in between, and so a second time', async () => {
    const over = join(scratchFolder(), 'over');
    const run = startRun(['--duration', '1s'], ...commandUntil(over));
    const early = watch(run.id);
    await expect.poll(() => names(early.lines())).toContain('finished');
    // The agent waits for its command still.
    expect(early.process.exitCode).toBeNull();
    const late = watch(run.id);
    await expect.poll(() => names(late.lines())).toContain('alive');
    writeFileSync(over, '');
    expect([await early.ended(), await late.ended()]).toEqual([0, 0]);
    const after = watch(run.id);
    expect(await after.ended()).toBe(0);
    for (const watcher of [early, late, after]) {
      expectEachOnceInOrder(watcher.lines());
      const events = names(said(watcher.lines())).filter((name) => name !== 'notice');
      expect(events[0]).toBe('started');
      expect(events.slice(-2)).toEqual(['finished', 'target-exited']);
    }
    expect(after.lines().filter(({ event }) => event === 'alive')).toMatchObject([
      { state: 'finished', process_alive: false },
    ]);
  });

  test('of a run that was killed says so, and prints no torn line', async () => {
    const run = startRun(['--all']);
    const watcher = watch(run.id);
    await expect.poll(() => names(watcher.lines())).toContain('progress');
    process.kill(run.pid, 'SIGKILL');
    // As if it had died while it wrote.
    appendFileSync(join(run.folder, 'events.ndjson'), '{"v":1,"event":"notice","ti');
    expect(await watcher.ended()).toBe(0);
    expect(watcher.lines().at(-1)).toMatchObject({ event: 'alive', state: 'died' });
    expect(watcher.text()).not.toContain('"ti\n');
    expectEachOnceInOrder(watcher.lines());
  });

  test('of a machine that was started anew says so', async () => {
    const run = startRun(['--all']);
    process.kill(run.pid, 'SIGKILL');
    const file = join(run.folder, 'run.json');
    const about = readFileSync(file, 'utf8');
    writeFileSync(file, about.replace(/"boot_id":"[^"]*"/, '"boot_id":"another"'));
    const watcher = watch(run.id);
    expect(await watcher.ended()).toBe(0);
    expect(watcher.lines().at(-1)).toMatchObject({
      event: 'alive',
      state: 'rebooted',
      process_alive: false,
      heartbeat_age_ns: null,
    });
  });

  test('survives a folder that vanishes, and still hears the end', async () => {
    const run = startRun(['--all']);
    const watcher = watch(run.id);
    await expect.poll(() => names(watcher.lines())).toContain('progress');
    renameSync(run.folder, `${run.folder}-gone`);
    // The agent may make a file in it meanwhile.
    rmSync(`${run.folder}-gone`, { recursive: true, maxRetries: 20, retryDelay: 50 });
    const looks = () => names(watcher.lines()).filter((name) => name === 'alive').length;
    const before = looks();
    // The next may have been made before the folder went.
    await expect.poll(looks).toBeGreaterThan(before + 1);
    expect(watcher.process.exitCode).toBeNull();
    expect(watcher.lines().at(-1)).toMatchObject({ event: 'alive', state: 'running' });
    // Held until its next look is due: it meets the end of the process before it has read its lines.
    watcher.process.kill('SIGSTOP');
    process.kill(run.pid, 'SIGTERM');
    await expect.poll(() => isAlive(run.pid)).toBe(false);
    // It looks once a second.
    await setTimeout(1100);
    watcher.process.kill('SIGCONT');
    expect(await watcher.ended()).toBe(0);
    expect(names(said(watcher.lines())).at(-1)).toBe('finished');
    expect(watcher.lines().at(-1)).toMatchObject({ event: 'alive', state: 'finished' });
    expectEachOnceInOrder(watcher.lines());
  });

  test('passes on the longest line, and over what is none', async () => {
    const run = startRun(['--all']);
    process.kill(run.pid, 'SIGKILL');
    const longest = `{"v":1,"event":"notice","text":"${'x'.repeat(65_000)}"}`;
    const tooLong = `{"v":1,"event":"notice","text":"${'y'.repeat(300_000)}"}`;
    const bad = ['not JSON', '', '{"v":1', '[1]', '{"v":1}\0', tooLong];
    const events = join(run.folder, 'events.ndjson');
    appendFileSync(events, `${longest}\n${bad.join('\n')}\n{"v":1,"event":"last"}\n`);
    const watcher = watch(run.id);
    expect(await watcher.ended()).toBe(0);
    expect(watcher.text()).toContain(`${longest}\n`);
    expect(watcher.text()).not.toContain('yyy');
    expect(names(said(watcher.lines())).slice(-2)).toEqual(['notice', 'last']);
  });

  test('ends with its input, whenever that ends, and the run goes on', async () => {
    const run = startRun(['--all']);
    for (let round = 0; round < 10; round++) {
      const watcher = watch(run.id);
      await setTimeout(round * 60);
      watcher.process.stdin?.end();
      expect(await watcher.ended()).toBe(0);
      expect(watcher.text()).toMatch(/\n$/);
      expect(names(watcher.lines())).toContain('started');
      expect(names(watcher.lines())).toContain('alive');
    }
    const unread = watch(run.id);
    await expect.poll(() => unread.text()).not.toBe('');
    unread.process.stdout?.destroy();
    await once(unread.process, 'exit');
    expect(unread.process.exitCode).toBe(0);
    stopRun(run);
  });

  test('whose reader sleeps gives it fewer lines, but whole', async () => {
    const run = startRun(['--all', '--duration', '6s']);
    const child = spawn(agentPath, ['watch', '--run', run.id, '--run-dir', runs]);
    onTestFinished(() => void child.kill('SIGKILL'));
    appendFileSync(
      join(run.folder, 'events.ndjson'),
      `${'{"v":1,"event":"filler"}\n'.repeat(9000)}`,
    );
    // So long a reader sleeps: progress comes meanwhile, twice a second, and has no room.
    await setTimeout(3000);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (data: string) => (text += data));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    const lines = parse(text);
    expect(lines.filter(({ event }) => event === 'filler')).toHaveLength(9000);
    expect(names(said(lines)).at(-1)).toBe('finished');
    expectEachOnceInOrder(lines.filter(({ event }) => event !== 'filler'));
  });

  test.each([
    ['0123456789abcdef', 'no-such-run', 3],
    ['../../../../etc', 'no-such-run', 3],
    ['', 'no-such-run', 3],
  ])('of %j, which is no run, is refused', async (id, code, exit) => {
    startRun(['--duration', '1s'], 'sleep', '0.1');
    const watcher = watch(id);
    expect(await watcher.ended()).toBe(exit);
    expect(watcher.lines()).toMatchObject([{ v: 1, event: 'error', code }]);
  });

  test('without a run, or where runs can not be read, is refused', () => {
    expect(agent('watch', '--run-dir', runs).status).toBe(2);
    const { status, stdout } = agent('watch', '--run', '0123456789abcdef', '--run-dir', '/usr');
    expect(status).toBe(1);
    expect(parse(stdout)).toMatchObject([{ event: 'error', code: 'run-directory' }]);
  });

  test('leaves nothing in the folder', async () => {
    const over = join(scratchFolder(), 'over');
    const run = startRun([], ...commandUntil(over));
    writeFileSync(over, '');
    const watcher = watch(run.id);
    expect(await watcher.ended()).toBe(0);
    expect(readdirSync(run.folder).sort()).toEqual([
      'events.ndjson',
      'finished.json',
      'heartbeat.json',
      'log',
      'run.json',
    ]);
  });
});
