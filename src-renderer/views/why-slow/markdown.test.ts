import { expect, test } from 'vitest';
import type { CallExplanation } from '../../../src-main/shared/explanation.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { codeSpan, escapeMarkdown, explanationMarkdown } from './markdown.ts';

test.each([
  ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
  ['# heading', '\\# heading'],
  ['1. list', '1\\. list'],
  ['[text](target)', '\\[text\\](target)'],
  ['ask @someone about #12', 'ask @<!-- -->someone about #<!-- -->12'],
  ['see https://example.test', 'see https:<!-- -->//example.test'],
  ['line\nbreak', 'line␊break'],
])('%j is literal in Markdown', (text, expected) => {
  expect(escapeMarkdown(text)).toBe(expected);
});

test.each([
  ['cudaMemcpyAsync', '`cudaMemcpyAsync`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['', '` `'],
])('%j stays one code span', (text, expected) => {
  expect(codeSpan(text)).toBe(expected);
});

const call: CallExplanation['call'] = {
  row: 0,
  name: 'cudaMemcpyAsync',
  source: 'CUDA',
  layer: 'runtime',
  startNs: 5,
  durationNs: 100,
  pid: 7,
  tid: 9,
  threadName: 'python',
  bytes: 4096,
  direction: 'H2D',
  returnCode: 0,
  children: [],
  stack: [],
};

function markdownOf(changes: Partial<CallExplanation['call']>): string {
  const explanation: CallExplanation = {
    call: { ...call, ...changes },
    headline: 'Unexplained.',
    accounting: [{ kind: 'off-cpu', ns: 100, reason: 'one stretch' }],
    hostMemory: { kind: 'unknown', basis: 'unknown', note: 'not recorded' },
    rank: { rank: 1, of: 1, medianNs: 1, p95Ns: 1, maxNs: 1, partial: false, peers: 'copies' },
    offCpu: { complete: true, note: '', spans: [] },
    wholeFile: { note: '', activity: [] },
    cannotTell: [],
  };
  return explanationMarkdown(explanation, fakeSummary({}), 'run.db');
}

test('a copy is told with its size, direction and host memory', () => {
  const text = markdownOf({});
  expect(text).toContain('- thread: `python`, pid 7, tid 9\n');
  expect(text).toContain('- size: 4.000 KiB (4096 bytes), H2D\n');
  expect(text).toContain('- Off-CPU: 100 ns (100 ns) – one stretch');
  expect(text).toContain('- host memory: unknown');
  expect(text).not.toContain('return code');
  expect(markdownOf({ bytes: -1 })).toContain('- size: not known, H2D\n');
});

test('what is no copy has neither direction nor host memory', () => {
  const text = markdownOf({ name: 'cudaMalloc', direction: 'none' });
  expect(text).toContain('- size: 4.000 KiB (4096 bytes)\n');
  expect(text).not.toMatch(/none|host memory/);
  expect(markdownOf({ direction: 'none', bytes: -1 })).not.toContain('size');
});

test('what is not known is said so, never as -1', () => {
  const text = markdownOf({ threadName: '', pid: -1, tid: -1, returnCode: -1 });
  expect(text).toContain('- return code: not known');
  expect(text).not.toMatch(/[ (]-1\b/);
});
