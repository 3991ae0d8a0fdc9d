import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { simulatedTrace as sample } from './simulated-trace.ts';

/** Writes a trace of our format to `path` whose bytes are neither the sample's nor another variant's. */
export function writeTrace(path: string, variant = 'a'): void {
  copyFileSync(sample, path);
  const database = new DatabaseSync(path);
  database.exec(`CREATE TABLE variant_${variant} (x)`);
  database.close();
}

/** The bytes of such a trace. */
export function traceBytes(variant = 'a'): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-variant-'));
  const path = join(folder, 'trace.db');
  writeTrace(path, variant);
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true, force: true });
  return bytes;
}
