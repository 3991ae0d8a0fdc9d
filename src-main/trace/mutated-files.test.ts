import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../../test/fixtures/ingero/make.ts';
import { parseTraceMlSummary } from '../shared/library/traceml-summary.ts';
import { damaged, randomFrom } from './event-json/testing/damage.ts';
import { writeTraceFile } from './formats/stalltrace/writer.ts';
import { importers } from './importers.ts';
import { openTrace } from './open-trace.ts';
import { damagedDatabase } from './testing/damaged-database.ts';
import { expectSentence } from './testing/expect-sentence.ts';
import { traceArbitrary } from './testing/trace-arbitrary.ts';

/** Those of JSON and of Nsight Systems have theirs beside their importers; more of them: `npm run soak`. */
const RUNS = 500;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-mutated-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const makers: Readonly<Record<string, (path: string) => void>> = {
  'our own': (path) => {
    const [trace] = fc.sample(traceArbitrary, { numRuns: 1, seed: 3 });
    if (trace === undefined || !writeTraceFile(path, trace).ok) throw new Error('not written');
  },
  'an Ingero': (path) => makeIngeroDatabase(path, '0.17.0'),
};

test.each(Object.keys(makers))(
  '%s file with bytes changed is read, or refused in one sentence',
  (format) => {
    const whole = join(folder, 'whole.db');
    makers[format]?.(whole);
    const good = readFileSync(whole);
    rmSync(whole);
    const path = join(folder, 'changed.db');
    const random = randomFrom(20);
    let read = 0;
    for (let run = 0; run < RUNS; run++) {
      writeFileSync(path, damagedDatabase(good, random));
      const opened = openTrace(path, {
        ...{ scratchDir: join(folder, 'scratch'), importers, progress: () => undefined },
      });
      if (opened.ok) read++;
      else expectSentence(opened.error, 'changed.db');
    }
    expect(read).toBeGreaterThan(RUNS / 20);
  },
  600_000,
);

test('a summary by TraceML with bytes changed is read, or refused in one sentence', () => {
  const good = Buffer.from(
    JSON.stringify({
      ...{ schema_version: 1.7, generated_at: '2026-03-01T10:00:00Z', duration_s: 12.5 },
      meta: { world_size: 2 },
      primary_diagnosis: {
        ...{ kind: 'INPUT_BOUND', status: 'INPUT-BOUND', summary: 'It waits.', action: 'Do.' },
        evidence: { step_time_ms: 10, input_wait_ms: 4, steps_analyzed: 100 },
      },
      step_time: { global: { average: { compute_ms: 5, residual_ms: null } } },
    }),
  );
  const random = randomFrom(21);
  let read = 0;
  for (let run = 0; run < RUNS; run++) {
    const parsed = parseTraceMlSummary(damaged(good, random).toString('utf8'), 'a.json');
    if (parsed.ok) read++;
    else expectSentence(parsed.error, 'a.json');
  }
  expect(read).toBeGreaterThan(RUNS / 20);
});
