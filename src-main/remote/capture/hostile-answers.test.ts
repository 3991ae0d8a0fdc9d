import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ok } from '../../shared/rpc/result.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import { quoteWords } from '../shell/quote.ts';
import type { RunRecord } from '../state/run-record.ts';
import type { ChannelExit } from '../transport/transport.ts';
import { readTail, runAgent } from './agent-output.ts';
import { cleanUpRun, removeAgent } from './clean-up.ts';
import { findRun } from './find-run.ts';
import { REMOVE_BASE } from './host-scripts.ts';
import { lookAtHost } from './look-at-host.ts';
import { stopRun } from './stop-run.ts';

const { signal } = new AbortController();
const RUN = '0123456789abcdef';
const record = {
  id: RUN,
  agentRun: RUN,
  runBase: '/run/stalltrace',
  asRoot: false,
  baseFolder: '/tmp/base',
  traceFile: '/tmp/base/captures/0123456789abcdef/a.trace.db',
  request: { target: { kind: 'machine' }, durationS: 60, maxSizeBytes: 2 ** 30 },
} as unknown as RunRecord;

/** An agent that says `answer` to each call, and ends with 0 unless it `neverCloses`. */
function agent(answers: (args: readonly string[]) => string, neverCloses = false) {
  const openAgent: HostSession['openAgent'] = async (args) => {
    const exit = Promise.withResolvers<ChannelExit>();
    const stdout = new PassThrough();
    stdout.end(answers(args));
    if (!neverCloses) exit.resolve({ code: 0 });
    const channel: AgentChannel = {
      stdin: new PassThrough(),
      stdout,
      stderr: new PassThrough(),
      exit: exit.promise,
      close: () => exit.resolve({ code: null }),
      stderrTail: () => '',
    };
    return ok(channel);
  };
  return { openAgent };
}

const script = (stdout: string) => ({
  runScript: async () => ok({ stdout, stderr: '', code: 0 }),
});

afterEach(() => {
  vi.useRealTimers();
});

describe('an answer', () => {
  test('whose channel the host never closes ends all the same', async () => {
    vi.useFakeTimers();
    const ran = runAgent(
      agent(() => '{}\n', true),
      ['status'],
      { asRoot: false, signal },
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ran).toMatchObject({ error: { code: 'link-lost' } });
  });

  test('whose channel the host never closes can be cancelled', async () => {
    const cancel = new AbortController();
    const ran = runAgent(
      agent(() => '{}\n', true),
      ['status'],
      { asRoot: false, signal: cancel.signal },
    );
    await new Promise((resolve) => setImmediate(resolve));
    cancel.abort();
    expect(await ran).toMatchObject({ error: { code: 'cancelled' } });
  });

  test('that is deep as no agent makes it is no exception', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const run = `{"run_id":"${RUN}","run_directory":"/r","state":"finished","process_alive":false,"run":null,"finished":${deep}}`;
    const session = agent(() => `{"v":1,"ended":true,"message":"","runs":[${run}]}\n`);
    expect(await stopRun(session, record, signal)).toEqual({ ok: true, value: undefined });
  });

  test('of a boot beyond all dates is none', async () => {
    const boot = '00000000-0000-0000-0000-000000000000';
    const lies = script(`boot ${boot}\nbtime 8999999999999999\nsize 1\n`);
    expect(await lookAtHost(lies, '/t', signal)).toMatchObject({ error: { code: 'no-shell' } });
  });

  test('of more than was asked for is cut', async () => {
    const flood = agent(
      () => `{"event":"ready","bytes":10}\n{"event":"frame"}\n${'x'.repeat(100_000)}`,
    );
    const tail = await readTail(flood, '/t', 10, { asRoot: false, signal });
    expect(tail).toBe('xxxxxxxxxx');
  });
});

describe('nothing is left', () => {
  const run = {
    run_id: RUN,
    run_directory: `/run/stalltrace/${RUN}`,
    state: 'finished',
    process_alive: false,
    run: { file: record.traceFile },
    finished: null,
  };
  const status = (removed?: readonly string[]) =>
    `${JSON.stringify({ v: 1, runs: [run], ...(removed && { removed }) })}\n`;
  const cleaned = (answer: (isRemoving: boolean) => string, stdout: string) =>
    cleanUpRun(
      { ...agent((args) => answer(args.includes('--remove'))), ...script(stdout) },
      record,
      signal,
    );

  test('is said where the agent and the script say that all was done', async () => {
    const report = await cleaned(
      (isRemoving) => status(isRemoving ? [RUN] : []),
      'freed 7\ndone\n',
    );
    expect(report).toMatchObject({ value: { freedBytes: 7, left: [], complete: true } });
  });

  test.each([
    ['the agent kept its notes', status([]), 'done\n'],
    ['the agent said something else', 'hello\n', 'done\n'],
    ['the script said what is left', status([RUN]), 'left /tmp/base/captures/x\ndone\n'],
    ['the script was refused', status([RUN]), 'refused it is another disk\n'],
  ])('is not said where %s', async (_, removing, stdout) => {
    const report = await cleaned((isRemoving) => (isRemoving ? removing : status()), stdout);
    expect(report).toMatchObject({ value: { complete: false } });
    expect(report.ok && report.value.left).toHaveLength(1);
  });

  test('is not said of the agent where it lists not all captures, one of which may need it', async () => {
    const all = (leftOut: number) => ({
      ...agent(() => `{"v":1,"runs":[],"left_out":${leftOut}}\n`),
      ...script('gone\n'),
      baseFolders: ['/tmp/base'],
      privilege: 'root' as const,
    });
    expect(await removeAgent(all(0), true, signal)).toMatchObject({ value: { complete: true } });
    expect(await removeAgent(all(3), true, signal)).toMatchObject({
      value: { complete: false, left: [{ why: expect.stringContaining('more captures than') }] },
    });
  });

  test('a capture is asked for by its id, so that it is found among however many', async () => {
    const asked: string[][] = [];
    const session = agent((args) => {
      asked.push([...args]);
      return status();
    });
    const found = await findRun(session, { ...record, agentRun: RUN }, signal);
    expect(found).toMatchObject({ value: { run_id: RUN } });
    expect(asked).toEqual([['status', '--json', '--run', RUN, '--run-dir', '/run/stalltrace']]);
  });

  test('is a failure where the script does not say how it went', async () => {
    const report = await cleaned(() => status([RUN]), 'freed 7\n');
    expect(report).toMatchObject({ error: { code: 'agent-failed' } });
  });

  test('is not said of a folder that nobody may enter', () => {
    const folder = mkdtempSync(join(tmpdir(), 'closed-'));
    const closed = join(folder, 'closed');
    mkdirSync(join(closed, 'stalltrace-remote-1'), { recursive: true });
    // Root enters everything: it asks as somebody else.
    const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    if (other.uid !== undefined) chownSync(folder, other.uid, other.gid);
    chmodSync(closed, 0o000);
    const ask = (base: string) =>
      spawnSync('/bin/sh', ['-s'], {
        input: `set -- ${quoteWords([base])}\n${REMOVE_BASE}`,
        encoding: 'utf8',
        ...other,
      }).stdout;
    expect(ask(join(closed, 'stalltrace-remote-1'))).toMatch(/^refused it can't be entered/);
    expect(ask(join(folder, 'absent/stalltrace-remote-1'))).toBe('gone\n');
    chmodSync(closed, 0o700);
    rmSync(folder, { recursive: true });
  });
});
