import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORMAT_VERSION } from '../../src-main/trace/formats/stalltrace/schema.ts';
import { root } from './built.ts';

/** A generated trace of `events` events, made once for each machine, format and count; its path. */
export function largeTrace(events: number): string {
  const folder = join(tmpdir(), 'stalltrace-bench');
  const path = join(folder, `version-${FORMAT_VERSION}-${events}.trace.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const script = join(root, 'test/bench/traces/make-large-trace.ts');
  const args = [script, '--events', String(events), '--out', path];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} failed`);
  return path;
}
