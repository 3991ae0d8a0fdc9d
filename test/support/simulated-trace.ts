import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changeOf } from '../../scripts/staleness.mjs';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { simulateDataloaderStarvation } from '../simulation/scenario.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The trace of a simulated job whose every figure is known: test/simulation. */
export const simulatedTrace = join(root, 'test/artifacts/dataloader-starvation.trace.db');

const SOURCES = ['test/simulation', 'src-main/trace/formats/stalltrace', 'src-main/shared/model'];

/** Writes it where it is missing or older than what makes it. Once before the tests that open it. */
export default function writeSimulatedTrace(): void {
  const written = statSync(simulatedTrace, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.every((source) => changeOf(join(root, source)) < written)) return;
  mkdirSync(dirname(simulatedTrace), { recursive: true });
  const part = `${simulatedTrace}.${process.pid}.part`;
  rmSync(part, { force: true });
  const result = writeTraceFile(part, simulateDataloaderStarvation());
  if (!result.ok) throw new Error(result.error.message);
  renameSync(part, simulatedTrace);
}
