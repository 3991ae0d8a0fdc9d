import { expect, test } from 'vitest';
import type { SourceFinding, SourceFindingOccurrence } from '../model/trace.ts';
import { severityCounts, severityText, sourceFindingText } from './source-findings.ts';

const occurrence = (
  severity: SourceFindingOccurrence['severity'],
  ratio?: number,
): SourceFindingOccurrence => ({
  ...{ op: 'cudaMalloc', detectedNs: 0, severity, p50Us: 1, p99Us: 2, detail: '' },
  ...(ratio !== undefined && { ratio }),
});

const finding: SourceFinding = {
  foundBy: 'Ingero',
  node: 'gpu-node-02',
  ops: ['cudaMalloc', 'cudaFree'],
  causes: ['HOST:sched_switch'],
  severity: 'HIGH',
  summary: 's',
  explanation: 'e',
  recommendations: [],
  occurrences: [
    occurrence('MEDIUM', 3.25),
    occurrence('HIGH', 4.5),
    occurrence('MEDIUM', 1638.4),
    occurrence('MEDIUM'),
  ],
};

test('each severity has its count and its own worst ratio, the most severe first', () => {
  expect(severityCounts(finding)).toEqual([
    { severity: 'HIGH', count: 1, worstRatio: 4.5 },
    { severity: 'MEDIUM', count: 3, worstRatio: 1638.4 },
  ]);
  expect(severityText(finding)).toBe('1 high (worst 4.5×), 3 medium (worst 1,638×)');
  expect(severityText({ occurrences: [occurrence('LOW')] })).toBe('1 low');
});

test('a severity of the tool’s own is told as it is written, and never as low', () => {
  const own = {
    occurrences: ['LOW', 'Blocker', 'MEDIUM', 'CRITICAL'].map((all) => occurrence(all)),
  };
  expect(severityText(own)).toBe('1 critical, 1 blocker, 1 medium, 1 low');
  expect(sourceFindingText({ ...finding, ...own, severity: 'Blocker' })).toContain(
    'Ingero Blocker',
  );
});

test('a line names the machine, the causes and what was slow', () => {
  expect(sourceFindingText(finding)).toBe(
    'Ingero HIGH on gpu-node-02: HOST:sched_switch → cudaMalloc, cudaFree (4×: 1 high (worst 4.5×), 3 medium (worst 1,638×))',
  );
});
