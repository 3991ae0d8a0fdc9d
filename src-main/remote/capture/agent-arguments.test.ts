import { describe, expect, test } from 'vitest';
import { type CaptureRequest, defaultCapture } from '../../shared/remote/capture-request.ts';
import { recordArguments } from './agent-arguments.ts';

const machine: CaptureRequest = { ...defaultCapture, target: { kind: 'machine' } };

describe('the words that begin a capture', () => {
  const where = {
    traceFile: '/b/captures/1/x.trace.db',
    asRoot: true,
    userName: 'me',
    loginShell: '/bin/bash',
  };

  test('of the whole machine', () => {
    const words = recordArguments({ ...machine, maxSizeBytes: 1024 ** 2 }, where);
    expect(words.join(' ')).toBe(
      'record --detach --json --out /b/captures/1/x.trace.db --duration 60s --max-size 4194304 --samples 49 --all',
    );
  });

  test('of processes, without rights', () => {
    const words = recordArguments(
      {
        ...machine,
        target: { kind: 'processes', pids: [7, 8] },
        mode: 'sampled',
        profiles: ['faults', 'syscalls'],
      },
      { ...where, asRoot: false, runBase: '/b/runs' },
    );
    expect(words.slice(11).join(' ')).toBe(
      '--profile faults,syscalls --no-bpf --no-inside --run-dir /b/runs --pid 7 --pid 8',
    );
  });

  test('of processes that a line is pasted into, and what of the GPU is recorded', () => {
    const request = { ...machine, target: { kind: 'processes' as const, pids: [7] } };
    const words = (changes: Partial<CaptureRequest>) =>
      recordArguments({ ...request, ...changes }, where)
        .slice(11)
        .join(' ');
    expect(words({ mode: 'inside' })).toBe('--no-bpf --inside --pid 7');
    expect(words({ gpuRecords: 'copies' })).toBe('--gpu-records copies --pid 7');
    expect(words({ mode: 'inside', gpuRecords: 'no-cupti' })).toBe(
      '--no-bpf --inside --no-cupti --pid 7',
    );
    expect(words({ mode: 'sampled', gpuRecords: 'no-cupti' })).toBe('--no-bpf --no-inside --pid 7');
    expect(words({ gpuRecords: 'off' })).toBe('--no-inside --pid 7');
    const remotePython = true;
    expect(words({ remotePython })).toBe('--remote-python --pid 7');
    expect(words({ remotePython, gpuRecords: 'off' })).toBe('--no-inside --pid 7');
  });

  test('of a command: the login shell of the user, whatever is in the line', () => {
    const line = `echo "$HOME" '; rm -rf /`;
    const target = { kind: 'command', line, folder: '~/my job' } as const;
    const words = recordArguments({ ...machine, target }, where);
    expect(words.slice(words.indexOf('--user'), words.indexOf('--') + 3)).toEqual([
      '--user',
      'me',
      '--',
      '/bin/sh',
      '-c',
    ]);
    expect(words.slice(-5)).toEqual(['sh', '~/my job', '/bin/bash', '-lc', line]);
    const csh = recordArguments(
      { ...machine, target: { kind: 'command', line } },
      { ...where, asRoot: false, loginShell: '/bin/tcsh' },
    );
    expect(csh.slice(csh.indexOf('--'))).toEqual(['--', '/bin/tcsh', '-c', line]);
  });

  test('of a command with its environment, and what of the GPU is recorded', () => {
    const environment = ['A=1', 'B=two words'];
    const target = { kind: 'command', line: 'python train.py', environment } as const;
    const words = (changes: Partial<CaptureRequest>) =>
      recordArguments({ ...machine, target, ...changes }, { ...where, asRoot: false });
    const all = words({});
    expect(all.slice(all.indexOf('--'))).toEqual([
      ...['--', 'env', 'A=1', 'B=two words'],
      ...['/bin/bash', '-lc', 'python train.py'],
    ]);
    expect(all.join(' ')).not.toMatch(/--gpu-records|inside/);
    expect(words({ gpuRecords: 'copies' }).join(' ')).toContain('--gpu-records copies');
    expect(words({ gpuRecords: 'no-cupti' }).join(' ')).toMatch(/--no-cupti(?!.*--gpu-records)/);
    expect(words({ gpuRecords: 'off' }).join(' ')).toContain('--no-inside');
    const inside = words({ mode: 'inside', gpuRecords: 'off' }).join(' ');
    expect(inside).toContain('--no-bpf --inside --gpu-records none');
  });
});
