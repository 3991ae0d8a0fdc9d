import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CaptureRequest, defaultCapture } from '../../shared/remote/capture-request.ts';
import { type LiveFigures, SERIES_POINTS } from '../../shared/remote/run.ts';
import { parseAgentLine } from './agent-lines.ts';
import type { RunEnd } from './run-end.ts';
import { RunFollower } from './run-follower.ts';

const machine: CaptureRequest = { ...defaultCapture, target: { kind: 'machine' } };

function follow(request: CaptureRequest = machine) {
  const told = {
    figures: [] as LiveFigures[],
    notices: [] as string[],
    lines: [] as string[],
    ends: [] as RunEnd[],
    jobs: [] as (number | null)[],
  };
  const follower = new RunFollower(
    { request },
    {
      figures: (live) => told.figures.push(live),
      pastedLine: (line) => told.lines.push(line),
      notice: (level, text) => told.notices.push(`${level}: ${text}`),
      ended: (end) => told.ends.push(end),
      jobEnded: (code) => told.jobs.push(code),
    },
  );
  return { follower, told };
}

function progress(changes: object = {}): string {
  return JSON.stringify({
    v: 1,
    event: 'progress',
    time_unix_ns: 1.795e18,
    elapsed_ns: 500_000_000,
    events: 1000,
    bytes: 4096,
    rows: { sample: 39 },
    drops: {},
    cpu_percent: 12.5,
    gpu_percent: null,
    agent_cpu_percent: 1.5,
    processes: 3,
    threads: 12,
    slowest: [],
    ...changes,
  });
}

function finished(changes: object = {}): string {
  return JSON.stringify({
    v: 1,
    event: 'finished',
    time_unix_ns: 1,
    end: 'duration',
    message: '',
    file: '/x',
    bytes: 606_208,
    length_ns: 60_000_000_000,
    events: 69,
    rows: {},
    drops: {},
    costs: {},
    job_running: true,
    exit_code: null,
    ...changes,
  });
}

describe('the line to paste', () => {
  const line =
    'import ctypes; stalltrace = ctypes.CDLL("/a/l.so").stalltrace_begin; stalltrace.restype = ctypes.c_char_p; print(stalltrace().decode())';
  const started = (inside_line: string | null) =>
    JSON.stringify({
      ...{ v: 1, event: 'started', time_unix_ns: 1, run_id: null, file: '/x', mode: 'inside' },
      ...{ sources: [], inside_line },
    });

  test('is told as the agent gives it, and who has come in', () => {
    const { follower, told } = follow();
    follower.take(started(line));
    follower.take(progress({ inside: 2 }));
    expect(told.lines).toEqual([line]);
    expect(told.figures.at(-1)?.inside).toBe(2);
    follower.take(started(null));
    expect(told.lines).toHaveLength(1);
  });

  test('is never anything else', () => {
    const { follower, told } = follow();
    follower.take(started(`${line}; import os`));
    expect(told.lines).toEqual([]);
    expect(told.notices.join()).toMatch(/lines that the agent does not print/);
  });
});

describe('figures of a run', () => {
  test('rates come from differences, series grow to their length', () => {
    const { follower, told } = follow();
    for (let index = 1; index <= SERIES_POINTS + 10; index++)
      follower.take(progress({ elapsed_ns: index * 5e8, events: index * 1000 }));
    const last = told.figures.at(-1);
    expect(last).toMatchObject({ eventsPerSecond: 2000, sizeBytes: 4096, processes: 3 });
    expect(last?.rates).toHaveLength(SERIES_POINTS);
    expect(last?.cpuPercent).toHaveLength(SERIES_POINTS);
    expect(last?.gpuPercent.every((each) => each === null)).toBe(true);
  });

  test('lines that are told anew change nothing', () => {
    const { follower, told } = follow();
    const lines = [1, 2, 3].map((index) => progress({ elapsed_ns: index * 5e8 }));
    for (const line of [...lines, ...lines]) follower.take(line);
    expect(told.figures).toHaveLength(3);
  });

  test('the slowest calls are those of the whole capture', () => {
    const { follower, told } = follow();
    for (let index = 1; index <= 12; index++)
      follower.take(
        progress({
          elapsed_ns: index,
          slowest: [
            { name: `call${index}`, pid: 7, duration_ns: index % 7, bytes: null, direction: 0 },
            { name: 'cudaMemcpy', pid: 7, duration_ns: index, bytes: 4, direction: 1 },
          ],
        }),
      );
    const slowest = told.figures.at(-1)?.slowest ?? [];
    expect(slowest).toHaveLength(10);
    expect(slowest[0]).toEqual({
      name: 'cudaMemcpy',
      pid: 7,
      durationNs: 12,
      bytes: 4,
      direction: 'H2D',
    });
    const durations = slowest.map(({ durationNs }) => durationNs);
    expect(durations).toEqual([...durations].sort((one, other) => other - one));
  });
});

describe('lines of a host', () => {
  test('unknown events are passed over, bad lines are told once', () => {
    const { follower, told } = follow();
    follower.take('{"v":1,"event":"later","x":1}');
    expect(told.notices).toEqual([]);
    for (const line of ['', 'text', '[]', '{"v":2,"event":"progress"}', undefined])
      follower.take(line);
    follower.take(progress({ events: -1 }));
    follower.take(progress({ rows: { a: 'b' } }));
    expect(told.notices).toHaveLength(1);
    expect(told.figures).toEqual([]);
  });

  test('what they say is cleaned and capped', () => {
    const { follower, told } = follow();
    const drops = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`kind${at}`, 1]));
    const name = `\u202eevil\u0007${'x'.repeat(5000)}`;
    follower.take(progress({ drops, slowest: [{ name, pid: 1, duration_ns: 1 }] }));
    const [live] = told.figures;
    expect(Object.keys(live?.drops ?? {})).toHaveLength(64);
    expect(live?.slowest[0]?.name).toHaveLength(200);
    expect(live?.slowest[0]?.name).toContain('�evil␇');
    const notice = {
      v: 1,
      event: 'notice',
      time_unix_ns: 1,
      level: 'info',
      text: '\u0000'.repeat(9000),
    };
    follower.take(JSON.stringify(notice));
    follower.take(JSON.stringify(notice));
    expect(told.notices).toHaveLength(1);
    expect(told.notices[0]?.length).toBeLessThan(2100);
  });

  test('nothing at all makes it throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((each) => `{"v":1,"event":"progress","rows":${each}}`),
        ),
        (line) => {
          follow().follower.take(line);
        },
      ),
    );
  });
});

describe('how a capture ended', () => {
  test.each([
    [{ end: 'duration' }, 'ok', 'Recorded for 60 s, as asked.'],
    [
      { end: 'duration', length_ns: 75e9 },
      'ok',
      'Recorded for 75 s, not 60 s: the host was too busy to end it in time.',
    ],
    [
      { end: 'duration', drops: { switches: 1, syscalls: 2 } },
      'warn',
      'Recorded for 60 s, as asked. 3 events were lost, which the trace marks. Record fewer things, or one job instead of the machine, to lose none.',
    ],
    [{ end: 'stopped' }, 'ok', 'Stopped after 60 s.'],
    [{ end: 'target-exited' }, 'ok', 'The job ended after 60 s.'],
    [
      { end: 'max-size' },
      'warn',
      'The trace reached its limit of 4.000 GiB after 60 s: to see longer, raise the limit or record less.',
    ],
    [
      { end: 'disk-full', message: 'no space left' },
      'warn',
      "The host's disk is nearly full, so the capture ended after 60 s; bring back what was recorded until then. Free space there before the next one. No space left.",
    ],
    [
      { end: 'failed', message: 'The disk is broken.' },
      'fail',
      'The capture failed after 60 s; bring back what was recorded until then. The disk is broken.',
    ],
  ])('%j', (changes, tone, message) => {
    const { follower, told } = follow();
    follower.take(finished(changes));
    follower.take(finished(changes));
    // After another end something may still come to it, from a log.
    const isClean = ['duration', 'stopped', 'target-exited'].includes(changes.end);
    const bytes = { bytesOnHost: 606_208, ...(isClean && { finalBytes: 606_208 }) };
    expect(told.ends).toEqual([{ tone, message, ...bytes }]);
  });

  test.each([
    [0, 'ok', 'The command ended after 60 s.'],
    [1, 'warn', 'The command ended with exit code 1 after 60 s.'],
    [137, 'warn', 'The command ended by signal 9 after 60 s.'],
  ])('a command of ours with exit code %d', (exit_code, tone, message) => {
    const { follower, told } = follow({ ...machine, target: { kind: 'command', line: 'x' } });
    follower.take(finished({ end: 'target-exited', exit_code, job_running: false }));
    expect(told.ends[0]).toMatchObject({ tone, message, jobRunning: false });
  });

  test.each([
    ['full', ["warning: cpu samples can't be recorded: Perf is not there."]],
    ['inside', []],
  ] as const)('what a %s capture lacks that was not said before', (mode, notices) => {
    const target = { kind: 'command', line: 'train' } as const;
    const { follower, told } = follow({ ...defaultCapture, mode, target });
    const detail = 'Perf is not there.';
    const line = {
      ...{ v: 1, event: 'started', time_unix_ns: 1, run_id: null, file: '/x', mode: 'full' },
      sources: [{ name: 'cpu_samples', wanted: true, available: false, detail }],
    };
    follower.take(JSON.stringify(line));
    expect(told.notices).toEqual(notices);
  });

  test('a command that could not be started after all', () => {
    const { follower, told } = follow();
    follower.take(
      '{"v":1,"event":"error","code":"command-not-started","message":"\\"x\\" can\'t be started","next":"Check its name."}',
    );
    expect(told.ends[0]?.message).toBe('"x" can\'t be started. Check its name.');
  });

  test('a job that outlives its capture is told of once', () => {
    const { follower, told } = follow();
    const line = '{"v":1,"event":"target-exited","pid":7,"exit_code":3,"signal":null}';
    follower.take(line);
    follower.take(line);
    expect(told.jobs).toEqual([3]);
  });
});

test('a line of the agent is read as it is', () => {
  expect(
    parseAgentLine(
      '{"v":1,"event":"alive","time_unix_ns":1,"run_id":"ab","state":"running","process_alive":true,"heartbeat_age_ns":null}',
    ),
  ).toMatchObject({
    event: 'alive',
    state: 'running',
  });
});
