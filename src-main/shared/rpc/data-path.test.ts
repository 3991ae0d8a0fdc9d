import { expect, test } from 'vitest';
import { dataError, dataStatus, parseDataPath } from './data-path.ts';

const traceId = '3f8e0a34-4b0a-4f6e-9a53-0d8f3c1f9a11';

test('a path names a trace and a table', () => {
  expect(parseDataPath(`/data/${traceId}/cuda_call`)).toEqual({ traceId, table: 'cuda_call' });
});

test.each([
  '/data',
  '/data/a/cuda_call',
  `/data/${traceId}`,
  `/data/${traceId}/`,
  `/data/${traceId}/cuda_call/x`,
  `/data/${traceId}/%2e%2e%2fb`,
  `/data/${traceId}/..`,
  `/x/data/${traceId}/cuda_call`,
])('%s asks for no table', (path) => {
  expect(parseDataPath(path)).toBeUndefined();
});

test.each(['not-open', 'process-lost'] as const)('%s is told from the status', (code) => {
  expect(dataError(dataStatus(code))).toBe(code);
});

test('a table there is not reads as a trace that is not open', () => {
  expect(dataStatus('not-found')).toBe(404);
  expect(dataError(403)).toBeUndefined();
});
