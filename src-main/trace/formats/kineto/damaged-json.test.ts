import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { describeWith, sharedData } from '../../../../test/support/requirements.ts';
import { damaged, randomFrom } from '../../event-json/testing/damage.ts';
import { sourceOf } from '../../event-json/testing/source-of.ts';
import type { Importer } from '../../source/importer.ts';
import { chromeImporter } from '../chrome/importer.ts';
import { kinetoImporter } from './importer.ts';
import { smallKineto } from './testing/small-trace.ts';

/** A trace or one sentence, whatever is in the file. Throws where it is neither. */
function open(importer: Importer, content: Buffer, partBytes: number): boolean {
  const result = importer.importTrace(sourceOf(content, partBytes), {
    fileName: 'a.json',
    progress: () => undefined,
  });
  if (!result.ok) {
    expect(result.error.code).toMatch(/^file-(damaged|truncated|no-events)$/);
    expect(result.error.message).toMatch(/^(“a\.json”|Nothing of “a\.json”) [^\n]+\.$/);
    return false;
  }
  const { tables, meta } = result.value;
  for (const table of ['cuda_call', 'gpu_work', 'range'] as const)
    for (const startNs of tables[table].columns.startNs)
      if (!(startNs >= 0 && startNs <= meta.lengthNs)) throw new Error(`starts at ${startNs}`);
  return true;
}

describe('bytes changed at random', () => {
  test.each([
    ['the PyTorch profiler’s', kinetoImporter],
    ['Chrome’s', chromeImporter],
  ])('of a small trace, as %s, end in a trace or in one sentence', (_, importer) => {
    const random = randomFrom(18);
    let opened = 0;
    for (let run = 0; run < 500; run++) {
      const content = damaged(Buffer.from(smallKineto), random);
      if (open(importer, content, run % 2 === 0 ? 2 ** 18 : 97)) opened++;
    }
    // What is damaged in one place is still a trace.
    expect(opened).toBeGreaterThan(250);
  });
});

test.each([
  ['keys in keys', '"a":{', 3e4],
  ['lists in lists', `"a":${'['.repeat(10)}`, 3e4],
  ['texts that do not end', '{"ph":"X" "', 1e5],
  ['events in events', '{"ph":"X","name":"a"b,"name":"', 3e4],
  ['what is no event', 'x},{"ph":', 1e5],
  ['white space', `} ${' '.repeat(5000)}`, 200],
  ['quotes', '"', 1e6],
])('many %s ends in one sentence', (_, part, times) => {
  for (const begin of ['{"schemaVersion":1,', '{"schemaVersion":1,"traceEvents":[{"ph":x'])
    expect(open(kinetoImporter, Buffer.from(begin + part.repeat(times)), 2 ** 18)).toBe(false);
});

describeWith(['sharedData'], 'a real trace with bytes changed', () => {
  test('ends in a trace or in one sentence', () => {
    const path = join(sharedData, 'kineto/hta_alexnet_cuda_sync.json.gz');
    const whole = gunzipSync(readFileSync(path));
    const random = randomFrom(4);
    for (let run = 0; run < 25; run++) open(kinetoImporter, damaged(whole, random), 2 ** 18);
  });
});
