import { expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { withRoles } from './roles.ts';
import { isCompilerName } from './server-signs.ts';

const rolesOf = (plan: Parameters<typeof buildTrace>[0], set?: Parameters<typeof withRoles>[1]) =>
  withRoles(buildTrace({ names: [['CUDA', 'cudaLaunchKernel']], ...plan }), set).processes;

const oneCall = (thread: number) => ({ rows: { cuda_call: [{ thread, op: 0 }] } });
const threadOf = (pid: number, process: number) => ({ tid: pid, process });

test('a server is told by name, command line and who started it', () => {
  const processes = rolesOf({
    processes: [
      { pid: 1, name: 'python3', commandLine: '/usr/bin/python3 /usr/local/bin/vllm serve Qwen' },
      { pid: 2, name: 'python3', parent: 0 },
      { pid: 3, name: 'python3', commandLine: 'python3 train.py --vllm' },
    ],
    threads: [threadOf(1, 0), threadOf(2, 1), threadOf(3, 2)],
    rows: {
      cuda_call: [
        { thread: 1, op: 0 },
        { thread: 2, op: 0 },
      ],
    },
  });
  expect(processes.map(({ role }) => role)).toEqual(['server', 'server', 'main']);
  expect(processes[1].roleBasis).toContain('started by the server python3 (1)');
});

test('what the user says stands', () => {
  const plan = { processes: [{ pid: 1, name: 'vllm' }], threads: [threadOf(1, 0)], ...oneCall(0) };
  expect(rolesOf(plan)[0].role).toBe('server');
  expect(rolesOf(plan, [{ pid: 1, role: 'main' }])[0].role).toBe('main');
  expect(rolesOf(plan, [{ pid: 1, role: 'server' }])[0].role).toBe('server');
});

test('compilers are known by name, their relatives are not', () => {
  for (const name of ['ptxas', 'cicc', 'cc1plus', 'gcc-12', 'x86_64-linux-gn', 'ld.bfd', 'as'])
    expect(isCompilerName(name)).toBe(true);
  for (const name of ['python3', 'bash', 'asyncio_0', 'ldconfig', 'gccgo']) {
    expect(isCompilerName(name)).toBe(false);
  }
});

test('a shell is there for its compilers where it starts nothing else, and torch.compile has processes of its own', () => {
  const worker =
    '/usr/bin/python3 /venv/lib/python3.11/site-packages/torch/_inductor/compile_worker/__main__.py --workers=2';
  const processes = rolesOf({
    processes: [
      { pid: 11, name: 'python3', commandLine: 'python3 train.py' },
      { pid: 12, name: 'sh', parent: 0 },
      { pid: 13, name: 'nvcc', parent: 1 },
      { pid: 14, name: 'bash', parent: 0 },
      { pid: 15, name: 'gcc', parent: 3 },
      { pid: 16, name: 'rsync', parent: 3 },
      { pid: 17, name: 'python3', parent: 0, commandLine: worker },
    ],
    threads: Array.from({ length: 7 }, (_, at) => threadOf(at + 11, at)),
    ...oneCall(0),
  });
  expect(processes.map(({ role }) => role)).toEqual([
    'main',
    'compiler',
    'compiler',
    'other',
    'compiler',
    'other',
    'compiler',
  ]);
  expect(processes[1].roleBasis).toBe('started the compiler nvcc (13)');
});
