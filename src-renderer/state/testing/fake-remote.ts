import type { ConnectedHost } from '../../../src-main/shared/remote/connection.ts';
import type { KnownHost } from '../../../src-main/shared/remote/host-target.ts';
import type { HostProcess, Preflight } from '../../../src-main/shared/remote/preflight.ts';
import type { LiveFigures, Run } from '../../../src-main/shared/remote/run.ts';

/** What a host and its captures look like, for tests. */

export const CONNECTION = '00000000-0000-4000-8000-000000000001';

export function fakeHost(changes: Partial<KnownHost> = {}): KnownHost {
  return {
    id: 'config:gpu-box',
    label: 'gpu-box',
    target: { name: 'gpu-box' },
    from: 'ssh-config',
    address: 'ada@10.0.0.7:22',
    ...changes,
  };
}

export function fakeConnected(changes: Partial<ConnectedHost> = {}): ConnectedHost {
  return {
    connection: CONNECTION,
    label: 'gpu-box',
    user: 'ada',
    address: 'ada@10.0.0.7:22',
    via: [],
    transport: 'ssh2',
    signedInWith: 'password',
    ...changes,
  };
}

export function fakePreflight(changes: Partial<Preflight> = {}): Preflight {
  return {
    rows: [
      {
        id: 'btf',
        group: 'kernel',
        label: 'BTF',
        status: 'ok',
        detail: 'The kernel describes its types.',
      },
    ],
    mode: 'full',
    headline: 'Everything can be captured here.',
    sees: ['CUDA calls', 'why threads wait'],
    cannotSee: ['what the GPU itself does'],
    privilege: 'root',
    agent: {
      version: '0.1.0',
      arch: 'x64',
      path: '/root/.cache/stalltrace-0/agent/0.1.0/stalltrace-agent',
      uploaded: true,
      sizeBytes: 5_000_000,
    },
    host: {
      hostName: 'gpu-box',
      kernel: '6.8.0',
      cpus: 16,
      gpus: ['NVIDIA H100'],
      freeBytes: 100 * 1024 ** 3,
      clockOffsetMs: 12,
    },
    running: [],
    ...changes,
  };
}

export function fakeProcess(pid: number, changes: Partial<HostProcess> = {}): HostProcess {
  return {
    pid,
    parent: 1,
    name: 'python',
    commandLine: `python train.py --seed ${pid}`,
    user: 'ada',
    role: 'main',
    usesGpu: false,
    mapsCuda: false,
    startedAtMs: 1_000 * pid,
    children: [],
    ...changes,
  };
}

export function fakeLive(changes: Partial<LiveFigures> = {}): LiveFigures {
  return {
    elapsedNs: 10e9,
    sizeBytes: 12_000_000,
    events: 90_000,
    eventsPerSecond: 9_000,
    drops: {},
    rows: {},
    inside: 0,
    processes: 5,
    threads: 20,
    agentCpuPercent: 2,
    cpuPercent: [50, 60],
    gpuPercent: [null, null],
    rates: [8_000, 9_000],
    slowest: [],
    heardAtMs: 0,
    ...changes,
  };
}

export function fakeRun(changes: Partial<Run> = {}): Run {
  return {
    id: '0123456789abcdef',
    host: 'gpu-box',
    address: 'ada@10.0.0.7:22',
    phase: 'recording',
    what: 'train.py (pid 4242)',
    startedAt: '2026-01-02T03:04:05.000Z',
    mode: 'full',
    tone: 'ok',
    durationS: 60,
    maxSizeBytes: 4 * 1024 ** 3,
    notices: [],
    ...changes,
  };
}
