import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { median } from '../support/median.ts';
import { sharedData } from '../support/requirements.ts';
import { tell } from './measure/figures.ts';
import { openOnce } from './measure/open-once.ts';
import { readByShell, SHELL, tablesReadBy } from './measure/sqlite-peers.ts';

/**
 * Opening an export of Nsight Systems of 200 MB, a real one again and again (`tile_nsys.py` of the shared data), against
 * SQLite in C, which reads the same columns: medians of interleaved runs. And how long its diagnosis then takes.
 *
 *   node test/bench/open-nsight.ts [--bytes BYTES] [--file EXPORT]
 */

const RUNS = 5;
/** Opening ÷ what C needs. */
const GOAL = 2;

const { values } = parseArgs({
  options: {
    bytes: { type: 'string', default: '200000000' },
    file: { type: 'string', default: 'nsys/jsun_llm_train_3070ti.sqlite' },
  },
});

function makeLarge(target: string): void {
  const source = join(sharedData, values.file);
  const copies = Math.ceil(Number(values.bytes) / statSync(source).size);
  const script = join(sharedData, 'tile_nsys.py');
  const made = spawnSync('python3', [script, source, target, String(copies)], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
}

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
try {
  const path = join(folder, 'large.sqlite');
  makeLarge(path);
  const size = `${(statSync(path).size / 1e6).toFixed(0)} MB of Nsight Systems`;
  const ours: number[] = [];
  const shell: number[] = [];
  const tables = tablesReadBy(path, () => openOnce(path));
  let diagnosisMs = Number.NaN;
  for (let run = 0; run < RUNS; run++) {
    const { trace, ms } = openOnce(path);
    ours.push(ms);
    shell.push(readByShell(path, tables));
    if (run > 0) continue;
    const begun = performance.now();
    diagnose(withRoles(trace));
    diagnosisMs = performance.now() - begun;
  }
  const c = median(shell);
  const peer = { name: SHELL, value: c };
  tell({ size, figure: 'open', unit: 'ms', value: median(ours), peer, goal: GOAL * c });
  tell({ size, figure: 'diagnosis, once', unit: 'ms', value: diagnosisMs });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
