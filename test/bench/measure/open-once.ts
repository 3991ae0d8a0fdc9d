import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Trace } from '../../../src-main/shared/model/trace.ts';
import { importers } from '../../../src-main/trace/importers.ts';
import { openTrace } from '../../../src-main/trace/open-trace.ts';

/** Opens a file in this process; how long that takes. */
export function openOnce(path: string): { trace: Trace; ms: number } {
  const scratchDir = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
  try {
    const begun = performance.now();
    const opened = openTrace(path, { scratchDir, importers, progress: () => undefined });
    const ms = performance.now() - begun;
    if (!opened.ok) throw new Error(opened.error.message);
    return { trace: opened.value, ms };
  } finally {
    rmSync(scratchDir, { recursive: true });
  }
}
