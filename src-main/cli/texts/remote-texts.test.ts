import { expect, test } from 'vitest';
import type { HostProcess, Preflight } from '../../shared/remote/preflight.ts';
import type { LiveFigures, Run } from '../../shared/remote/run.ts';
import { cleanUpText } from './clean-up-text.ts';
import { runLine, transferLine } from './live-line.ts';
import { preflightText } from './preflight-text.ts';
import { runsText } from './runs-text.ts';

const preflight: Preflight = {
  rows: [
    { group: 'kernel', id: 'arch', label: 'Architecture', status: 'ok', detail: 'x86_64' },
    {
      group: 'kernel',
      id: 'btf',
      label: 'BTF',
      status: 'fail',
      detail: 'There is no \u001b[31mBTF.',
      next: 'Rent a VM.',
    },
    { group: 'gpu', id: 'gpu', label: 'GPU', status: 'warn', detail: 'None.' },
    { group: 'resources', id: 'clock', label: 'Clock', status: 'info', detail: '3 ms ahead' },
  ],
  mode: 'sampled',
  headline: 'Full capture needs a VM; this works now.',
  sees: ['time on and off the CPU'],
  cannotSee: ['CUDA calls'],
  privilege: 'no-sudo',
  agent: { version: '0.1.0', arch: 'x64', path: '/x', uploaded: true, sizeBytes: 1 },
  host: {
    hostName: 'gpu',
    kernel: '6.1',
    cpus: 8,
    gpus: [],
    freeBytes: 1,
    clockOffsetMs: 3,
  },
  running: [],
};

const process = (pid: number, changes: Partial<HostProcess> = {}): HostProcess => ({
  pid,
  parent: 1,
  name: 'python',
  commandLine: 'python train.py',
  user: 'ada',
  role: 'main',
  usesGpu: false,
  mapsCuda: false,
  children: [],
  ...changes,
});

test('the table is aligned, with a next step under each row that has one', () => {
  const text = preflightText(preflight, {
    trees: [
      process(42, { usesGpu: true, gpuMemoryBytes: 2 ** 30, children: [process(43)] }),
      process(7),
    ],
  });
  expect(text).toBe(
    [
      'Machine and kernel',
      '  Architecture  ok    x86_64',
      '  BTF           FAIL  There is no ␛[31mBTF.',
      '                      → Rent a VM.',
      'GPU and PyTorch',
      '  GPU           WARN  None.',
      'Resources',
      '  Clock         -     3 ms ahead',
      '',
      'Full capture needs a VM; this works now.',
      'It sees:',
      '  - time on and off the CPU',
      'It cannot see:',
      '  - CUDA calls',
      '',
      'Processes that use a GPU or CUDA:',
      '       42  python train.py  (ada, 1.000 GiB of GPU memory, 1 more process)',
    ].join('\n'),
  );
  const none = preflightText(preflight, {
    trees: [process(7)],
    gpuDetail: 'nvidia-smi is missing.',
  });
  expect(none).toMatch(/No process uses a GPU or CUDA now\.\n {2}nvidia-smi is missing\.$/);
});

const live: LiveFigures = {
  elapsedNs: 12e9,
  sizeBytes: 2 ** 20,
  events: 1,
  eventsPerSecond: 1234.5,
  drops: {},
  rows: {},
  inside: 0,
  processes: 1,
  threads: 1,
  agentCpuPercent: null,
  cpuPercent: [],
  gpuPercent: [null, 45.4],
  rates: [],
  slowest: [{ name: 'cudaMemcpyAsync', pid: 1, durationNs: 65e6, bytes: 0, direction: '' }],
  heardAtMs: 0,
};
const run: Run = {
  id: '0123456789abcdef',
  host: 'gpu-box',
  address: 'ada@gpu:22',
  phase: 'recording',
  what: 'python train.py',
  startedAt: '2026-11-22T10:14:00.000Z',
  mode: 'full',
  tone: 'ok',
  durationS: 60,
  maxSizeBytes: 2 ** 30,
  notices: [],
};

test('a capture in one line', () => {
  expect(runLine(run)).toBe('Starting …');
  expect(runLine({ ...run, live })).toBe(
    'Recording 12 of 60 s · 1.000 MiB · 1,235 events/s · none lost · GPU 45 % · slowest cudaMemcpyAsync 65.00 ms',
  );
  const lossy = { ...live, drops: { switches: 3, calls: 4 }, gpuPercent: [null], slowest: [] };
  expect(runLine({ ...run, phase: 'stopping', live: lossy })).toBe(
    'Stopping 12 of 60 s · 1.000 MiB · 1,235 events/s · 7 LOST',
  );
  expect(runLine({ ...run, link: 'reconnecting', live })).toMatch(/^Still recording there/);
});

test('a download in one line', () => {
  const transfer = {
    totalBytes: 4 * 2 ** 20,
    doneBytes: 2 ** 20,
    wireBytes: 1,
    bytesPerSecond: 5e6,
    etaS: 0.6,
    step: 'downloading' as const,
  };
  expect(transferLine({ ...run, transfer })).toBe(
    'Downloading 25.0 % of 4.000 MiB · 5.000 MB/s · 1 s left',
  );
  expect(transferLine({ ...run, transfer: { ...transfer, step: 'adding' } })).toBe(
    'Adding it to the library …',
  );
  expect(transferLine(run)).toBe('Waiting for the host …');
  const here = { ...transfer, step: 'verifying' as const };
  expect(transferLine({ ...run, transfer: here })).toBe('Checking the trace …');
  for (const phase of ['brought', 'cleaned'] as const)
    expect(transferLine({ ...run, phase, transfer: here })).toBe('Cleaning up on the host …');
});

test('the list of captures, with what is wrong with one beneath it', () => {
  expect(runsText([])).toBe('No capture runs, and none has a trace left to bring back.');
  const broken = {
    ...run,
    id: 'fedcba9876543210',
    phase: 'recorded' as const,
    bytesOnHost: 2 ** 20,
  };
  expect(runsText([run, { ...broken, message: 'The host restarted.' }])).toBe(
    [
      '  #01234567  gpu-box  recording  2026-11-22 10:14  –          python train.py',
      '  #fedcba98  gpu-box  recorded   2026-11-22 10:14  1.000 MiB  python train.py',
      '      The host restarted.',
    ].join('\n'),
  );
});

test('what was cleaned, and what had to stay', () => {
  expect(cleanUpText('gpu', { freedBytes: 2 ** 20, left: [] })).toBe(
    'Nothing of Stalltrace is left on gpu: 1.000 MiB freed.',
  );
  const left = [{ path: '/tmp/x', why: 'A capture runs there.' }];
  expect(cleanUpText('gpu', { freedBytes: 0, left })).toBe(
    'On gpu 0 B freed. Left there:\n  /tmp/x: A capture runs there.',
  );
});
