import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { captureModes, modeSpec } from '../../shared/capture-modes/modes.ts';
import { defaultCapture } from '../../shared/remote/capture-request.ts';
import { checkReport } from '../preflight/check-report.ts';
import { recordArguments } from './agent-arguments.ts';

test('each mode is one file, in the list', () => {
  const folder = join(import.meta.dirname, '../../shared/capture-modes');
  const others = ['mode-spec.ts', 'modes.test.ts', 'modes.ts', 'profiles.ts'];
  const files = readdirSync(folder).filter((file) => !others.includes(file));
  expect(files).toEqual(captureModes.map((mode) => `${mode}.ts`).toSorted());
});

describe.each(captureModes)('%s', (mode) => {
  test('is what the agent is told, and what it may answer', () => {
    const where = { traceFile: '/t.db', asRoot: false, userName: 'me', loginShell: '/bin/sh' };
    const request = { ...defaultCapture, target: { kind: 'machine' as const }, mode };
    const own = new Set(captureModes.flatMap((each) => modeSpec(each).agentArguments));
    const told = recordArguments(request, where).filter((word) => own.has(word));
    expect(told).toEqual(modeSpec(mode).agentArguments);
    const target = { kind: 'command' as const, line: 'train' };
    const copies = recordArguments({ ...request, target, gpuRecords: 'copies' }, where);
    expect(copies.includes('--gpu-records')).toBe(modeSpec(mode).hasGpuRecords);
    const summary = { mode, captured: [], missing: [] };
    expect(checkReport.parse({ checks: [], summary }).summary.mode).toBe(mode);
  });
});
