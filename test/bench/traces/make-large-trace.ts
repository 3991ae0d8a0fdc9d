import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTraceFile } from '../../../src-main/trace/formats/stalltrace/writer.ts';
import { generateTrace } from './generate-trace.ts';

/**
 * Writes a generated trace for benchmarks:
 * `node test/bench/traces/make-large-trace.ts --events 200000 --out FILE [--seed 1] [--threads 12]`
 */

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: '12' },
    out: { type: 'string' },
  },
});
const events = Number(values.events);
const threads = Number(values.threads);
const areCounts = Number.isSafeInteger(events) && Number.isSafeInteger(threads);
if (values.out === undefined || !areCounts || events < 100 || threads < 12) {
  console.error(
    'usage: node test/bench/traces/make-large-trace.ts --events N --out FILE [--seed 1] [--threads 12]',
  );
  process.exit(2);
}
const path = resolve(values.out);
const begun = performance.now();
const written = writeTraceFile(path, generateTrace(events, Number(values.seed), threads));
if (written.ok)
  console.log(
    `${path}: ${events} events, ${statSync(path).size} bytes, ${Math.round(performance.now() - begun)} ms`,
  );
else {
  console.error(written.error.message);
  process.exitCode = 1;
}
