import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { writeTraceFile } from '../src-main/trace/stalltrace/writer.ts';
import { simulateDataloaderStarvation } from '../test/simulation/scenario.ts';

/** Writes the bundled sample investigation. `node scripts/make-sample.ts [FILE]` */

const bundled = resolve(import.meta.dirname, '../resources/sample/dataloader-starvation.trace.db');
const path = resolve(process.argv[2] ?? bundled);
mkdirSync(dirname(path), { recursive: true });
const written = writeTraceFile(path, simulateDataloaderStarvation());
if (written.ok) console.log(`${path}: ${statSync(path).size} bytes`);
else {
  console.error(written.error.message);
  process.exitCode = 1;
}
