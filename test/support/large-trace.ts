import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORMAT_VERSION } from '../../src-main/trace/formats/stalltrace/schema.ts';
import { root } from './built.ts';

/** A generated trace of `events` events, made once for each machine, format and counts; its path. */
export function largeTrace(events: number, threads?: number): string {
  const folder = join(tmpdir(), 'stalltrace-bench');
  const name = threads === undefined ? `${events}` : `${events}-of-${threads}-threads`;
  const path = join(folder, `version-${FORMAT_VERSION}-${name}.trace.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const script = join(root, 'test/bench/traces/make-large-trace.ts');
  const args = [script, '--events', String(events), '--out', path];
  if (threads !== undefined) args.push('--threads', String(threads));
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} failed`);
  return path;
}
