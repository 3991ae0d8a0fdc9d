import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildTrace } from '../../analysis/testing/build-trace.ts';
import { fetchTable, serveBulk } from './bulk-server.ts';

test('is at rest only while nothing is sent', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bulk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // More than sockets hold: it is sent as it is read.
  const rows = Array.from({ length: 400_000 }, (_, at) => ({ startNs: at, durationNs: 1 }));
  const { tables } = buildTrace({ rows: { off_cpu: rows } });
  const socket = join(folder, 'socket');
  const use = await serveBulk(socket, { tables: () => tables, perfetto: async function* () {} });
  await expect.poll(() => use.idleMs()).toBeGreaterThan(0);
  const body = await fetchTable(socket, 'off_cpu', ['startNs', 'durationNs']);
  if (!body.ok) throw new Error(body.error.message);
  expect(use.idleMs()).toBe(0);
  let bytes = 0;
  for await (const piece of body.value.stream) bytes += (piece as Buffer).length;
  expect(bytes).toBe(body.value.byteLength);
  await expect.poll(() => use.idleMs()).toBeGreaterThan(0);
});
