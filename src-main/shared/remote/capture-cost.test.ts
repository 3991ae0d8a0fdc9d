import { describe, expect, test } from 'vitest';
import { captureCost } from './capture-cost.ts';
import { type CaptureRequest, defaultCapture } from './capture-request.ts';
import { describeTarget } from './describe-target.ts';
import type { HostProcess, Preflight } from './preflight.ts';

const GIB = 1024 ** 3;
const preflight: Preflight = {
  rows: [],
  mode: 'full',
  headline: 'Full capture.',
  sees: [],
  cannotSee: [],
  privilege: 'root',
  agent: {
    version: '0.1.0',
    arch: 'x64',
    path: '/home/me/.cache/stalltrace-1000/agent/0.1.0-abcdefabcdef/stalltrace-agent',
    uploaded: true,
    sizeBytes: 3.5 * 1024 ** 2,
  },
  host: {
    hostName: 'gpu1',
    kernel: '6.8',
    cpus: 8,
    gpus: [],
    freeBytes: 100 * GIB,
    clockOffsetMs: 0,
  },
  running: [],
};
const machine: CaptureRequest = { ...defaultCapture, target: { kind: 'machine' } };

describe('what to know before Start', () => {
  test('the cost, what is put where, and what becomes of the job', () => {
    expect(captureCost(preflight, machine)).toEqual({
      sentence:
        'Expected cost: about +3.7 % run time while it records, as measured on a job that used all CPUs. For the whole machine it is more: every process pays it. The agent (3.500 MiB) and the trace (4.000 GiB at most) are put into /home/me/.cache/stalltrace-1000 on gpu1; both are removed afterwards. The job keeps running whatever happens to the capture, the connection or Stalltrace.',
      warnings: [],
    });
  });

  test('what a pasted line brings, and where it brings nothing', () => {
    const sentence = (changes: Partial<CaptureRequest>) =>
      captureCost(preflight, { ...machine, target: { kind: 'processes', pids: [7] }, ...changes })
        .sentence;
    expect(sentence({})).toMatch(/from then on what the GPU does can be recorded too\.$/);
    expect(sentence({ mode: 'inside' })).toMatch(/its CUDA calls and what the GPU does can be/);
    expect(sentence({ mode: 'inside', gpuRecords: 'no-cupti' })).toMatch(
      /from then on its CUDA calls can be recorded too\.$/,
    );
    expect(sentence({ gpuRecords: 'no-cupti' })).not.toMatch(/a line is shown/);
  });

  test('what costs more', () => {
    const { sentence } = captureCost(preflight, {
      ...machine,
      profiles: ['faults', 'syscalls', 'off-cpu-stacks'],
      keepAgent: true,
      target: { kind: 'command', line: 'python train.py' },
    });
    expect(sentence).toContain('about +20.4 % run time');
    expect(sentence).toContain('0.6–6 µs');
    expect(sentence).toContain('the agent stays');
    expect(sentence).toContain('The command goes on');
  });

  test('every warning', () => {
    const { warnings } = captureCost(
      {
        ...preflight,
        rows: [
          {
            group: 'kernel',
            id: 'uprobes',
            label: 'Probes on functions',
            status: 'warn',
            detail: 'Two probes a call.',
            next: 'Use Linux 6.13.',
          },
          { group: 'gpu', id: 'gpu', label: 'GPU', status: 'warn', detail: 'None.' },
        ],
        host: { ...preflight.host, freeBytes: GIB },
        running: [{ runId: 'abcdefab', ours: false, text: 'pid 7' }],
      },
      machine,
    );
    expect(warnings).toEqual([
      expect.stringContaining('Only 1.000 GiB are free there'),
      '1 other capture runs on this host: each takes time from the job, and records the time that the other takes.',
      'Probes may be slow here. Probes on functions: Two probes a call. Use Linux 6.13.',
    ]);
  });

  test('what sampling is, where that is all there is', () => {
    const sampled = {
      ...preflight,
      mode: 'sampled' as const,
      headline: 'Full capture needs a VM.',
    };
    expect(captureCost(sampled, { ...machine, mode: 'sampled' }).warnings[0]).toContain('10 ms');
    const wanted = captureCost(sampled, machine);
    expect(wanted.warnings[0]).toContain('Full capture needs a VM.');
    expect(wanted.sentence).toContain('reads /proc');
  });
});

describe('what a capture is of', () => {
  const worker = (pid: number): HostProcess => ({
    pid,
    parent: 4242,
    name: 'pt_data_worker',
    commandLine: 'python train.py',
    user: 'me',
    role: 'dataloader-worker',
    usesGpu: false,
    mapsCuda: false,
    children: [],
  });
  const job: HostProcess = {
    ...worker(4242),
    name: 'python3',
    commandLine: '/usr/bin/python3 -u /home/me/train.py --epochs 3',
    children: [worker(4300), worker(4301)],
  };

  const cases: readonly (readonly [CaptureRequest['target'], string])[] = [
    [{ kind: 'machine' }, 'the whole machine'],
    [{ kind: 'command', line: ' python  train.py\n' }, 'python train.py'],
    [{ kind: 'command', line: 'python -u src/train.py --token abc' }, 'python train.py …'],
    [{ kind: 'command', line: 'HF_TOKEN=abc env A=b ./run.sh' }, 'run.sh'],
    [{ kind: 'command', line: 'python /my-jobs/train-v2.py' }, 'python train-v2.py'],
    [{ kind: 'command', line: 'curl -u me:abc https://h/x' }, 'curl …'],
    [{ kind: 'command', line: 'python --data=abc.py abc' }, 'python …'],
    [{ kind: 'command', line: 'export HF_TOKEN=abc; python train.py' }, 'python train.py'],
    [{ kind: 'command', line: 'cd /abc/job && A=b python train.py --k abc' }, 'python train.py …'],
    [{ kind: 'command', line: 'cd abc; . abc/bin/activate; ./run.sh' }, 'run.sh'],
    [{ kind: 'command', line: 'conda activate abc && cd "a b"; ./run.sh' }, 'cd run.sh …'],
    [{ kind: 'command', line: '"$(abc)"' }, 'a command'],
    [{ kind: 'command', line: 'TOKEN=abc' }, 'a command'],
    [{ kind: 'command', line: 'TOKEN="a b c" python train.py' }, 'a command'],
    [{ kind: 'processes', pids: [4242] }, 'train.py (pid 4242) and 2 more processes'],
    [{ kind: 'processes', pids: [4300] }, 'train.py (pid 4300)'],
    [{ kind: 'processes', pids: [4242, 4300] }, 'train.py (pid 4242) and 2 more processes'],
    [{ kind: 'processes', pids: [7, 8] }, 'pid 7 and 1 more process'],
  ];
  test.each(cases)('%j', (target, words) => {
    expect(describeTarget(target, [job])).toBe(words);
  });
});
