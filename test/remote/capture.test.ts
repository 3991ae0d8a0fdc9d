import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cleanUpRun, removeAgent } from '../../src-main/remote/capture/clean-up.ts';
import { findRun } from '../../src-main/remote/capture/find-run.ts';
import type { RunEnd } from '../../src-main/remote/capture/run-end.ts';
import { startCapture } from '../../src-main/remote/capture/start-capture.ts';
import { stopRun } from '../../src-main/remote/capture/stop-run.ts';
import { watchRun } from '../../src-main/remote/capture/watch-run.ts';
import type { RunRecord } from '../../src-main/remote/state/run-record.ts';
import { openRunStore, type RunStore } from '../../src-main/remote/state/run-store.ts';
import {
  type CaptureRequest,
  defaultCapture,
} from '../../src-main/shared/remote/capture-request.ts';
import type { LiveFigures } from '../../src-main/shared/remote/run.ts';
import { value } from '../support/agent/agent-run.ts';
import { lineUntil } from '../support/agent/outlasting-job.ts';
import { type LocalSession, openLocalSession } from '../support/remote/local-session.ts';
import { describeWith } from '../support/requirements.ts';

let folder: string;
let session: LocalSession;
let store: RunStore;
let never: AbortController;
let job: ChildProcess;
/** Runs to end when a test fails. */
let begun: RunRecord[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-capture-'));
  session = openLocalSession(folder);
  store = openRunStore(join(folder, 'state'));
  never = new AbortController();
  begun = [];
  job = spawn('sleep', ['120']);
});
afterEach(async () => {
  session.mend();
  for (const record of begun) {
    await stopRun(session, record, new AbortController().signal);
    await cleanUpRun(session, record, new AbortController().signal);
  }
  never.abort();
  job.kill('SIGKILL');
  await once(job, 'exit').catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

async function start(changes: Partial<CaptureRequest> = {}): Promise<RunRecord> {
  const request: CaptureRequest = {
    ...defaultCapture,
    mode: 'sampled',
    target: { kind: 'processes', pids: [job.pid ?? 0] },
    ...changes,
  };
  const options = { store, label: 'here', what: 'sleep', signal: never.signal };
  const outcome = await startCapture(session, request, options);
  if (!('started' in outcome)) throw new Error(outcome.error.message);
  begun.push(outcome.started);
  return outcome.started;
}

interface Watched {
  readonly figures: LiveFigures[];
  readonly notices: string[];
  readonly links: string[];
  readonly ends: RunEnd[];
  readonly done: Promise<void>;
}

function watch(record: RunRecord, signal = never.signal): Watched {
  const watched = {
    figures: [] as LiveFigures[],
    notices: [] as string[],
    links: [] as string[],
    ends: [] as RunEnd[],
  };
  const done = watchRun(
    session,
    record,
    {
      figures: (live) => watched.figures.push(live),
      pastedLine: () => undefined,
      notice: (_level, text) => watched.notices.push(text),
      link: (state) => watched.links.push(state),
      ended: (end) => watched.ends.push(end),
      jobEnded: () => undefined,
    },
    signal,
  );
  return { ...watched, done };
}

async function clean(record: RunRecord): Promise<Awaited<ReturnType<typeof cleanUpRun>>> {
  return cleanUpRun(session, record, never.signal);
}

describeWith(['agent', 'root'], 'a capture on a host', () => {
  test('begins, is followed, is stopped, and leaves nothing', async () => {
    const clock = { offsetNs: 5, uncertaintyNs: 7, measuredAt: '2026-01-02T03:04:05.000Z' };
    Object.assign(session, { clock });
    const record = await start();
    expect(await store.read(record.id)).toEqual(record);
    expect(record).toMatchObject({ clock });
    const watched = watch(record);
    await expect.poll(() => watched.figures.length).toBeGreaterThan(1);
    expect(watched.figures.at(-1)).toMatchObject({ processes: 1 });
    const stopped = await stopRun(session, record, never.signal);
    expect(stopped).toMatchObject({ ok: true, value: { tone: 'ok', message: /^Stopped after/ } });
    await watched.done;
    expect(watched.ends).toHaveLength(1);
    expect(value(record.traceFile, 'PRAGMA integrity_check')).toBe('ok');
    const sizeBytes = statSync(record.traceFile).size;
    expect(watched.ends[0]?.bytesOnHost).toBe(sizeBytes);
    const cleaned = await clean(record);
    if (!cleaned.ok) throw new Error(cleaned.error.message);
    expect(cleaned.value).toMatchObject({ left: [], complete: true });
    expect(cleaned.value.freedBytes).toBeGreaterThan(sizeBytes);
    expect(await findRun(session, record, never.signal)).toEqual({ ok: true, value: undefined });
    expect(await removeAgent(session, true, never.signal)).toMatchObject({
      value: { complete: true },
    });
    expect(readdirSync(folder)).toEqual(['state']);
    expect(job.exitCode).toBeNull();
  });

  test('ends by its duration', async () => {
    const record = await start({ durationS: 1 });
    const watched = watch(record);
    await watched.done;
    expect(watched.ends).toMatchObject([
      {
        tone: 'ok',
        message: expect.stringMatching(/^Recorded for \d+(\.\d+)? s, (as asked|not 1 s)/),
      },
    ]);
  });

  test('runs a command as the login shell would, and tells that it failed', async () => {
    const record = await start({
      target: { kind: 'command', line: 'echo "in $PWD" >&2; exit 3', folder: '/usr' },
    });
    const watched = watch(record);
    await watched.done;
    expect(watched.ends).toMatchObject([
      { tone: 'warn', message: /^The command ended with exit code 3 after/, jobRunning: false },
    ]);
    expect(existsSync(`${record.traceFile}.output`)).toBe(true);
    expect((await clean(record)).ok).toBe(true);
    expect(readdirSync(join(session.baseFolder, 'captures'))).toEqual([]);
  });

  test('removes the trace of a job that goes on, and what it writes once it has ended', async () => {
    const over = join(folder, 'over');
    const record = await start({
      target: { kind: 'command', line: lineUntil(over) },
      durationS: 1,
    });
    const watched = watch(record);
    await expect.poll(() => watched.ends.length).toBe(1);
    expect(watched.ends[0]?.jobRunning).toBe(true);
    expect(await clean(record)).toMatchObject({
      value: { complete: false, left: [{ why: expect.stringContaining('still runs') }] },
    });
    expect(existsSync(record.traceFile)).toBe(false);
    expect(existsSync(`${record.traceFile}.output`)).toBe(true);
    writeFileSync(over, '');
    await watched.done;
    expect(await clean(record)).toMatchObject({ value: { complete: true } });
  });

  test('refuses what cannot be captured in a sentence, and leaves nothing', async () => {
    const gone = spawn('true');
    await once(gone, 'exit');
    const request: CaptureRequest = {
      ...defaultCapture,
      target: { kind: 'processes', pids: [gone.pid ?? 0] },
    };
    const options = { store, label: 'here', what: 'x', signal: never.signal };
    const outcome = await startCapture(session, request, options);
    if ('started' in outcome) throw new Error('it started');
    expect(outcome.error).toMatchObject({
      code: 'bad-capture',
      message: `There is no process ${gone.pid}. Choose again what is captured, and how.`,
    });
    const [record] = await store.list();
    if (record === undefined) throw new Error('no record');
    expect(await clean(record)).toMatchObject({ value: { complete: true } });
    expect(readdirSync(join(session.baseFolder, 'captures'))).toEqual([]);
  });

  test('goes on while the link is lost, and is followed again', async () => {
    const record = await start();
    const watched = watch(record);
    await expect.poll(() => watched.figures.length).toBeGreaterThan(0);
    session.cut();
    await expect.poll(() => watched.links.at(-1)).toBe('reconnecting');
    const before = watched.figures.at(-1)?.elapsedNs ?? 0;
    session.mend();
    await expect.poll(() => watched.figures.at(-1)?.elapsedNs).toBeGreaterThan(before + 1e9);
    expect(watched.links).toEqual(['connected', 'reconnecting', 'connected']);
    const elapsed = watched.figures.map(({ elapsedNs }) => elapsedNs);
    expect(elapsed).toEqual([...new Set(elapsed)].sort((one, other) => one - other));
    await stopRun(session, record, never.signal);
    await watched.done;
    expect(watched.ends).toHaveLength(1);
  });

  test('is found again where its beginning was cut off', async () => {
    const record = await start();
    const { agentRun: _unknown, runBase: _notKnown, ...cut } = record;
    const found = await findRun(session, { ...cut, phase: 'starting' } as RunRecord, never.signal);
    expect(found).toMatchObject({ ok: true, value: { run_id: record.agentRun } });
  });

  test('tells that its recorder was killed', async () => {
    const record = await start();
    const watched = watch(record);
    await expect.poll(() => watched.figures.length).toBeGreaterThan(0);
    const found = await findRun(session, record, never.signal);
    const pid = found.ok ? /"pid":(\d+)/.exec(JSON.stringify(found.value))?.[1] : undefined;
    const running = await session.runScript(
      `kill -9 $(pgrep -f -- '--out ${record.traceFile}')`,
      [],
      {
        signal: never.signal,
      },
    );
    expect(running.ok, pid).toBe(true);
    await watched.done;
    expect(watched.ends).toMatchObject([
      {
        tone: 'fail',
        message: expect.stringMatching(
          /^The recorder on the host ended unexpectedly; the job goes on\./,
        ),
        bytesOnHost: expect.any(Number),
      },
    ]);
    expect(await clean(record)).toMatchObject({ value: { complete: true } });
  });

  test('tells that the host restarted, and whether its trace survived', async () => {
    const record = await start({ durationS: 1 });
    await watch(record).done;
    const earlier = { ...record, bootId: '00000000-0000-0000-0000-000000000000' };
    const watched = watch(earlier);
    await watched.done;
    // What it says of its own end counts where it could be asked.
    expect(watched.ends[0]?.message).toMatch(/^Recorded for/);
    await session.openAgent(['status', '--remove', '--run', record.agentRun ?? ''], {
      asRoot: true,
      signal: never.signal,
    });
    await expect
      .poll(() => findRun(session, record, never.signal))
      .toEqual({ ok: true, value: undefined });
    const after = watch(earlier);
    await after.done;
    expect(after.ends[0]?.message).toMatch(
      /^The host restarted at \d{4}-\d\d-\d\d \d\d:\d\d UTC; the capture ended; what was written until then survived: bring it back\.$/,
    );
    rmSync(record.traceFile);
    const lost = watch(earlier);
    await lost.done;
    expect(lost.ends[0]?.message).toContain('its trace was lost with it');
  });

  test('two at once do not disturb each other', async () => {
    const [one, other] = [await start(), await start()];
    const watched = [watch(one), watch(other)];
    await stopRun(session, one, never.signal);
    await watched[0]?.done;
    expect(await removeAgent(session, true, never.signal)).toMatchObject({
      value: {
        complete: false,
        left: [{ why: 'another capture on this host still needs the agent.' }],
      },
    });
    expect(await clean(one)).toMatchObject({ value: { complete: true } });
    expect(existsSync(other.traceFile)).toBe(true);
    await stopRun(session, other, never.signal);
    await watched[1]?.done;
    expect(watched[1]?.ends[0]?.tone).toBe('ok');
  });
});

describeWith(['agent', 'root'], 'cleaning up on a host', () => {
  test('leaves what is not ours, and says so', async () => {
    const record = await start({ durationS: 1 });
    await watch(record).done;
    const runFolder = join(session.baseFolder, 'captures', record.id);
    writeFileSync(join(runFolder, 'notes.txt'), 'mine');
    symlinkSync('/etc/passwd', `${record.traceFile}-wal`);
    const cleaned = await clean(record);
    expect(cleaned).toMatchObject({ value: { complete: false } });
    expect(cleaned.ok && cleaned.value.left.map(({ path }) => path).sort()).toEqual(
      [`${record.traceFile}-wal`, join(runFolder, 'notes.txt')].sort(),
    );
    expect(existsSync(record.traceFile)).toBe(false);
    expect(existsSync('/etc/passwd')).toBe(true);
    rmSync(join(runFolder, 'notes.txt'));
    rmSync(`${record.traceFile}-wal`);
    expect(await clean(record)).toMatchObject({ value: { complete: true } });
    expect(existsSync(runFolder)).toBe(false);
  });

  test.each(['base', 'captures', 'run'])(
    'follows no link in the place of the %s folder',
    async (which) => {
      const record = await start({ durationS: 1 });
      await watch(record).done;
      const path = {
        base: session.baseFolder,
        captures: join(session.baseFolder, 'captures'),
        run: join(session.baseFolder, 'captures', record.id),
      }[which] as string;
      const elsewhere = join(folder, 'elsewhere');
      renameSync(path, elsewhere);
      symlinkSync(elsewhere, path);
      const cleaned = await clean(record);
      expect(cleaned).toMatchObject({ value: { complete: false, freedBytes: 0 } });
      rmSync(path);
      renameSync(elsewhere, path);
      expect(statSync(record.traceFile).size).toBeGreaterThan(0);
    },
  );

  test('touches no folder without the marker of this run', async () => {
    const record = await start({ durationS: 1 });
    await watch(record).done;
    const marker = join(session.baseFolder, 'captures', record.id, '.stalltrace-run');
    writeFileSync(marker, 'another\n');
    expect(await clean(record)).toMatchObject({
      value: { complete: false, left: [{ why: expect.stringContaining('marker') }] },
    });
    writeFileSync(marker, `${record.id}\n`);
    rmSync(join(session.baseFolder, '.stalltrace'));
    expect(await clean(record)).toMatchObject({
      value: { complete: false, left: [{ why: 'it has no marker of Stalltrace.' }] },
    });
    writeFileSync(join(session.baseFolder, '.stalltrace'), 'stalltrace-folder 1 test\n');
  });

  test('is done where everything is gone already', async () => {
    const record = await start({ durationS: 1 });
    await watch(record).done;
    rmSync(join(session.baseFolder, 'captures'), { recursive: true });
    expect(await clean(record)).toMatchObject({ value: { complete: true, freedBytes: 0 } });
  });

  test('removes the agent’s notes of a capture that was cut off before it was one', async () => {
    const notes = join(session.baseFolder, 'runs');
    const [cutOff, told] = ['0123456789abcdef', 'fedcba9876543210'].map((id) => join(notes, id));
    for (const run of [cutOff, told]) {
      mkdirSync(run as string, { recursive: true, mode: 0o700 });
      writeFileSync(join(run as string, 'events.ndjson'), '');
    }
    writeFileSync(join(told as string, 'run.json'), '{}');
    expect(await removeAgent(session, true, never.signal)).toMatchObject({
      value: {
        complete: false,
        left: [{ path: told, why: expect.stringMatching(/^the agent’s/) }],
      },
    });
    expect(existsSync(cutOff as string)).toBe(false);
    // As an agent does that ends while it is looked for: it removes what it wrote.
    let tries = 0;
    const ending: LocalSession = {
      ...session,
      async runScript(...args) {
        const ran = await session.runScript(...args);
        if (++tries === 1) rmSync(told as string, { recursive: true });
        return ran;
      },
    };
    expect(await removeAgent(ending, true, never.signal)).toMatchObject({
      value: { complete: true },
    });
    expect(tries).toBe(2);
    expect(existsSync(session.baseFolder)).toBe(false);
  });

  test('removes agents, of any version, and leaves other things', async () => {
    const agents = join(session.baseFolder, 'agent');
    mkdirSync(join(agents, '0.1.0-0123456789ab'), { recursive: true, mode: 0o700 });
    writeFileSync(join(agents, '0.1.0-0123456789ab/stalltrace-agent'), 'x'.repeat(1000));
    mkdirSync(join(agents, 'mine'), { mode: 0o700 });
    writeFileSync(join(agents, 'mine/stalltrace-agent'), 'kept');
    const removed = await removeAgent(session, true, never.signal);
    expect(removed).toMatchObject({
      value: { freedBytes: 1000, complete: false, left: [{ path: join(agents, 'mine') }] },
    });
    rmSync(join(agents, 'mine'), { recursive: true });
    expect(await removeAgent(session, true, never.signal)).toMatchObject({
      value: { complete: true },
    });
    expect(existsSync(session.baseFolder)).toBe(false);
  });
});
