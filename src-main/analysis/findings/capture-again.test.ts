import { describe, expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { captureAgain } from './capture-again.ts';

const FIRST = 'stalltrace capture HOST --duration 60s ';

/** What is told to run of a trace whose agent was started with `words`. */
function again(words: readonly string[] | undefined, commandLine?: string, launcher?: string) {
  const trace = buildTrace({
    processes: [
      { pid: 90, role: 'launcher', parent: -1, ...(launcher && { commandLine: launcher }) },
      { pid: 100, role: 'main', parent: 0, ...(commandLine && { commandLine }) },
    ],
  });
  const told = captureAgain(
    { ...trace, meta: { ...trace.meta, ...(words && { agentArguments: words }) } },
    1,
  );
  expect(told.startsWith(FIRST)).toBe(true);
  return told.slice(FIRST.length);
}

/** As src-main/remote/capture/agent-arguments.ts has it; the script has lines. */
const inFolder = ['/bin/sh', '-c', 'cd -- "$1"\nshift\nexec "$@"', 'sh'];

describe('the command that was recorded', () => {
  test('is the line that `stalltrace capture` was given, with its folder and what was set for it', () => {
    const line = "python train.py --name 'a b'";
    expect(again(['record', '--user', 'me', '--', '/bin/bash', '-lc', line])).toBe(
      String.raw`-- 'python train.py --name '\''a b'\'''`,
    );
    const set = ['env', 'A=b c', 'D=e', '/bin/zsh', '-lc', 'python train.py'];
    expect(again(['record', '--', ...inFolder, '~/run', ...set])).toBe(
      "--folder '~/run' --env 'A=b c' --env D=e -- 'python train.py'",
    );
  });

  test('is what the agent was given, in a folder that nobody wrote down where a file is named without one', () => {
    expect(again(['--out', 'x', '--', 'python3', '/a/train.py', '--lr=0.1', '0.5'])).toBe(
      '-- python3 /a/train.py --lr=0.1 0.5',
    );
    expect(again(['--', 'python3', 'train.py', "it's"])).toBe(
      String.raw`--folder DIR -- python3 train.py 'it'\''s'`,
    );
  });

  test('is left to the user where it has lines, or is too long to be shown', () => {
    expect(again(['--', '/bin/bash', '-lc', 'a\nb'])).toBe('-- COMMAND…');
    expect(again(['--', 'python', 'x'.repeat(3_000)])).toBe('-- COMMAND…');
    for (const unseen of ['\u2028', '\u3164', '\u{e0100}'])
      expect(again(['--', 'python', `a${unseen}b`])).toBe('-- COMMAND…');
  });

  test('is left to the user where a secret was in it', () => {
    const words = ['env', 'HF_TOKEN=[redacted]', '/bin/bash', '-lc', 'python -m train'];
    expect(again(['--', ...words])).toBe('-- COMMAND…');
    expect(again(['--', 'python', '-m', 'train', '--token', '[redacted]'])).toBe('-- COMMAND…');
  });

  test('is that of the job where the agent does not say it, of its launcher first', () => {
    expect(again(undefined)).toBe('-- COMMAND…');
    expect(again(undefined, 'python /a/train.py --lr 0.1')).toBe('-- python /a/train.py --lr 0.1');
    expect(again(undefined, 'python train.py', 'torchrun -m train')).toBe('-- torchrun -m train');
    expect(again(['--pid', '7', '--from-exec'], 'python train.py')).toBe(
      '--folder DIR -- python train.py',
    );
    expect(again(undefined, 'sh -c python a.py; b')).toBe('-- COMMAND…');
    expect(again(undefined, 'python train.py --token [redacted]')).toBe('-- COMMAND…');
  });
});

test('processes that ran already are others when they are started again', () => {
  expect(again(['--pid', '7'], 'python train.py')).toBe('--pid PID');
  expect(again(['--pid', '7', '--pid', '8'])).toBe('--pid PID…');
  expect(again(['--all'])).toBe('--all');
});

test('records what was recorded', () => {
  const of = (...words: string[]) => again([...words, '--all']);
  expect(of('--samples', '49')).toBe('--all');
  expect(of('--samples', '200')).toBe('--samples 200 --all');
  expect(of('--no-bpf', '--inside', '--no-cupti')).toBe('--inside --gpu-records no-cupti --all');
  expect(of('--no-bpf', '--no-inside')).toBe('--no-bpf --all');
  expect(of('--no-inside')).toBe('--gpu-records off --all');
  expect(of('--gpu-records', 'copies')).toBe('--gpu-records copies --all');
  expect(again(['--remote-python', '--pid', '7'])).toBe('--remote-python --pid PID');
});
