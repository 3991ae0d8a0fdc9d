import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeWith, sharedData } from '../../../test/support/requirements.ts';
import { kindBeside, parseBeside } from '../answers/beside-file.ts';
import { claimsTraceMl, parseTraceMlSummary } from './traceml-summary.ts';

const least = {
  schema_version: 1.7,
  primary_diagnosis: { kind: 'INPUT_BOUND', status: 'INPUT-BOUND', summary: 'It waits.' },
};
const parse = (value: unknown) => parseTraceMlSummary(JSON.stringify(value), 'a.json');

test('what was not measured is absent, not 0', () => {
  const evidence = { step_time_ms: 10, input_wait_ms: null, compute_ms: 0, h2d_ms: undefined };
  const parsed = parse({
    ...least,
    primary_diagnosis: { ...least.primary_diagnosis, evidence },
    step_time: { global: { average: { input_wait_ms: 4, residual_ms: null } } },
  });
  expect(parsed).toMatchObject({
    ok: true,
    value: { kind: 'INPUT_BOUND', step: { durationMs: 10, inputMs: 4, computeMs: 0 } },
  });
  const { value } = parsed as { value: { step: object } };
  expect(Object.keys(value.step).sort()).toEqual(['computeMs', 'durationMs', 'inputMs']);
  expect(parse(least)).toMatchObject({ ok: true, value: { step: {} } });
});

test('hosts, settings and printed texts are not kept', () => {
  const secret = 'hunter2';
  const parsed = parse({
    ...least,
    text: secret,
    meta: { run_name: secret, world_size: 2 },
    system: { groups: { rows: { 0: { identity: { hostname: secret } } } } },
  });
  expect(parsed).toMatchObject({ ok: true, value: { ranks: 2 } });
  expect(JSON.stringify(parsed)).not.toContain(secret);
});

test.each<readonly [string, unknown]>([
  ['no diagnosis', { schema_version: 1.7, primary_diagnosis: {} }],
  ['a diagnosis that is none', { ...least, primary_diagnosis: 'INPUT-BOUND' }],
  ['a time below 0', { ...least, duration_s: -1 }],
  ['a time that is none', { ...least, step_time: { global: { average: { h2d_ms: 'x' } } } }],
  ['a number of ranks that is none', { ...least, meta: { world_size: 1.5 } }],
])('%s is refused in one sentence with the next step', (_, value) => {
  const parsed = parse(value);
  expect(parsed).toMatchObject({ ok: false, error: { code: 'beside-damaged' } });
  if (!parsed.ok) expect(parsed.error.message).toMatch(/^“a\.json” is not a .* Choose .*\.$/);
});

test('its texts are fit to be shown, and anything ends in a sentence', () => {
  const hostile = { kind: 'A', status: 'A\u001b[31m\nB', summary: `x\u202e${'y'.repeat(5_000)}` };
  const parsed = parse({ ...least, primary_diagnosis: hostile });
  expect(JSON.stringify(parsed)).not.toMatch(/\\u001b|\\n|\u202e/);
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, text) => {
      for (const each of [json, text, `{"schema_version": 1, "primary_diagnosis": ${json}}`]) {
        const read = parseTraceMlSummary(each, 'a.json');
        expect(read.ok || read.error.message.endsWith('.')).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test('is told from a trace and from a result of the benchmark script', () => {
  const text = JSON.stringify(least);
  expect(kindBeside(text)).toBe('traceml');
  expect(kindBeside('{"format": "stalltrace-benchmark"}')).toBe('benchmark');
  expect(kindBeside('{"traceEvents": []}')).toBeUndefined();
  // A profile whose events name both.
  expect(claimsTraceMl(`{"traceEvents": [${text}]}`)).toBe(false);
  expect(parseBeside(text, 'a\u202eb.json')).toMatchObject({
    ok: true,
    value: { kind: 'traceml' },
  });
  expect(JSON.stringify(parseBeside('{', 'a\u202eb.json'))).not.toContain('\u202e');
});

describeWith(['sharedData'], 'summaries that TraceML wrote', () => {
  const read = (name: string) =>
    parseTraceMlSummary(
      readFileSync(join(sharedData, `traceml/traceml_${name}.final_summary.json`), 'utf8'),
      name,
    );

  test('say what the file says', () => {
    expect(read('input_bound')).toEqual({
      ok: true,
      value: {
        kind: 'INPUT_BOUND',
        status: 'INPUT-BOUND',
        summary: 'Input wait is 94.7% of the typical CPU Step Time.',
        action: 'Increase workers, prefetch, or storage throughput.',
        clock: 'cpu',
        ranks: 1,
        steps: 60,
        writtenUnixMs: Date.parse('2026-11-21T07:07:09.909Z'),
        lengthMs: 5265.932321548462,
        step: { durationMs: 72.484, inputMs: 68.639, computeMs: 3.341, residualMs: 0.503 },
      },
    });
    expect(read('ddp2_balanced')).toMatchObject({ value: { kind: 'COMPUTE_BOUND', ranks: 2 } });
    expect(read('fast')).toMatchObject({ value: { kind: 'NO_CLEAR_PERFORMANCE_BOTTLENECK' } });
  });
});
