import { describe, expect, test } from 'vitest';
import { parseSize } from '../arguments/parse-size.ts';
import { capture } from './capture.ts';

function parse(...args: readonly string[]) {
  const parsed = capture.parse(args, '/work');
  if (parsed.kind !== 'options') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}
function wrong(...args: readonly string[]) {
  const parsed = capture.parse(args, '/work');
  if (parsed.kind !== 'wrong') throw new Error(JSON.stringify(parsed));
  return parsed.sentence;
}

describe('what to capture', () => {
  test('processes, each way they can be listed', () => {
    expect(parse('gpu', '--pid', '7', '--pid=8,9').request.target).toEqual({
      kind: 'processes',
      pids: [7, 8, 9],
    });
    expect(parse('gpu', '--all').request.target).toEqual({ kind: 'machine' });
  });

  test('a command: one word is a line, several are quoted for a shell', () => {
    const lineOf = (...command: readonly string[]) => {
      const { target } = parse('gpu', '--', ...command).request;
      return target.kind === 'command' ? target.line : undefined;
    };
    expect(lineOf('cd run && python train.py | tee log')).toBe(
      'cd run && python train.py | tee log',
    );
    expect(lineOf('python', 'train.py', '--name', "it's $HOME", '--help')).toBe(
      String.raw`python train.py --name 'it'\''s $HOME' --help`,
    );
    expect(parse('gpu', '--folder', '/data', '--', 'x').request.target).toEqual({
      kind: 'command',
      line: 'x',
      folder: '/data',
    });
  });

  test('one of them, and exactly one', () => {
    expect(wrong('gpu')).toMatch(/^Say what to capture/);
    expect(wrong('gpu', '--all', '--pid', '1')).toMatch(/^Give --pid, --all or/);
    expect(wrong('gpu', '--all', '--folder', '/x')).toMatch(/^--folder is for/);
    expect(wrong('gpu', '--', '')).toMatch(/^Name the command/);
    expect(wrong('gpu', '--')).toMatch(/^Name the command/);
    for (const pid of ['0', '-1', 'x', '1,,2', ''])
      expect(wrong('gpu', `--pid=${pid}`)).toMatch(/is not a process ID/);
  });
});

describe('the rest', () => {
  test('has the values of the app where nothing is said', () => {
    expect(parse('gpu', '--all')).toMatchObject({
      host: 'gpu',
      request: {
        durationS: 60,
        maxSizeBytes: 4 * 2 ** 30,
        profiles: [],
        samplesHz: 49,
        mode: 'full',
        keepAgent: false,
      },
      force: false,
      detach: false,
      yes: false,
      json: false,
    });
  });

  test('is taken as it is said', () => {
    const all = '--all --duration 1.5min --max-size 500M --profile faults,syscalls --samples 0';
    const more = '--no-bpf --keep-agent --out x.db -y --json -p 2222 -i key -J a,b@c:2';
    expect(parse('me@gpu', ...all.split(' '), ...more.split(' '))).toMatchObject({
      host: 'me@gpu',
      port: 2222,
      identityFiles: ['/work/key'],
      jumps: ['a', 'b@c:2'],
      out: '/work/x.db',
      request: {
        durationS: 90,
        maxSizeBytes: 500 * 2 ** 20,
        profiles: ['faults', 'syscalls'],
        samplesHz: 0,
        mode: 'sampled',
        keepAgent: true,
      },
    });
  });

  test('can leave CUPTI to a profiler of the job', () => {
    const { request } = parse('gpu', '--gpu-records', 'no-cupti', '--', 'train');
    expect(request.gpuRecords).toBe('no-cupti');
    expect(wrong('gpu', '--gpu-records', 'cupti', '--', 'train')).toMatch(/none, no-cupti, off\.$/);
  });

  test('is refused with what would be right', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['--duration 5', /as in 30s, 5min or 1h/],
      ['--duration 25h', /24h at most/],
      ['--max-size 1', /1M is the least/],
      ['--max-size 1P', /500M or 4G/],
      ['--max-size 65G', /at most/],
      ['--profile nonsense', /there are faults, /],
      ['--samples 1000', /is not a number from 0 to 999/],
      ['--port 0', /1 to 65535/],
      ['-J a,,b', /a hop without a name/],
      ['--out x --detach', /stalltrace captures --bring/],
      ['--nonsense', /There is no option --nonsense/],
    ];
    for (const [options, sentence] of cases)
      expect(wrong('gpu', '--all', ...options.split(' ')), options).toMatch(sentence);
    expect(wrong('--all')).toBe('Name the host.');
    expect(wrong('ssh', '-p', '22', 'gpu', '--all')).toMatch(/put a whole line in quotes/);
  });

  test('asks for help before all else', () => {
    expect(capture.parse(['--help', '--duration', 'x'], '/work')).toEqual({ kind: 'help' });
    expect(parse('gpu', '--', 'python', '--help')).toMatchObject({ host: 'gpu' });
  });
});

test('sizes count in 1024, as the agent does', () => {
  expect(['1', '1K', '1.5M', '2 GiB', '3gb', '1T'].map(parseSize)).toEqual([
    1,
    1024,
    1.5 * 2 ** 20,
    2 * 2 ** 30,
    3 * 2 ** 30,
    2 ** 40,
  ]);
  for (const none of ['', '-1', 'M', '1X', '1e9', '0x10', '9999999999T'])
    expect(parseSize(none), none).toBeUndefined();
});
