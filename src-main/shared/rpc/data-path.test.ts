import { expect, test } from 'vitest';
import { dataError, dataStatus, traceOfDataPath } from './data-path.ts';

const traceId = '3f8e0a34-4b0a-4f6e-9a53-0d8f3c1f9a11';

test('a path names the trace whose tiles it asks for', () => {
  expect(traceOfDataPath(`/data/${traceId}/tiles`)).toBe(traceId);
});

test.each([
  '/data',
  '/data/a/tiles',
  `/data/${traceId}`,
  `/data/${traceId}/`,
  `/data/${traceId}/cuda_call`,
  `/data/${traceId}/tiles/`,
  `/data/${traceId}/tiles/x`,
  `/data/${traceId}/%2e%2e%2fb`,
  `/data/${traceId}/..`,
  `/x/data/${traceId}/tiles`,
])('%s asks for no tiles', (path) => {
  expect(traceOfDataPath(path)).toBeUndefined();
});

test.each(['not-open', 'process-lost'] as const)('%s is told from the status', (code) => {
  expect(dataError(dataStatus(code))).toBe(code);
});

test('tiles that there are not are no trace that is not open', () => {
  expect(dataStatus('not-found')).toBe(400);
  for (const status of [400, 403]) expect(dataError(status)).toBeUndefined();
});
