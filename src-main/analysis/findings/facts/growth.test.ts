import { expect, test } from 'vitest';
import { jobsOf } from '../../jobs/job-index.ts';
import { loaderTrace } from '../../testing/loader-trace.ts';
import { garbageCollection } from '../rules/garbage-collection.ts';
import { hostWork } from '../rules/host-work.ts';
import { MS } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled, stackNumber } from '../testing/sampled.ts';
import { makingGrowth } from './growth.ts';

const STEPS = 100;
const EVERY_MS = 4;

/** Steps of 100 ms that begin with work of their own, given in ms by step, sampled all the time that it ran. */
function working(shown: 'step' | 'collecting', workMs: (step: number) => number, ranMs = workMs) {
  const startsNs = Float64Array.from({ length: STEPS }, (_, step) => step * 100 * MS);
  const cpu_sample = [...startsNs].flatMap((startNs, step) =>
    Array.from({ length: Math.floor(ranMs(step) / EVERY_MS) }, (_, at) => ({
      ...{ startNs: startNs + (at + 0.5) * EVERY_MS * MS, thread: 0, stack: stackNumber(shown) },
    })),
  );
  const endsNs = startsNs.map((ns, step) => ns + Math.max(0.1, workMs(step)) * MS);
  return { hostTime: { startsNs, endsNs }, trace: { ...sampled({}), rows: { cpu_sample } } };
}

const ofWork = (...shape: [workMs: (step: number) => number, ranMs?: (step: number) => number]) =>
  hostWork.judge(exampleFacts('host-work', working('step', ...shape)))?.growth?.text;

test('work of the loop’s own that grows from step to step is told with who may keep more and more', () => {
  expect(ofWork((step) => 12 + 0.4 * step)).toMatch(
    /^The step’s own work grew from (19|2[012])\.\d+ ms to (4[5678])\.\d+ ms over the run: look what reweight \(train\.py:51\) keeps or goes through$/,
  );
});

test('what is as long all the time, or waits for a CPU more and more, is no growth', () => {
  expect(ofWork((step) => 30 + 6 * Math.sin(step * 1.7))).toBeUndefined();
  // The first steps take longer, and so does the first of each epoch.
  expect(ofWork((step) => (step < 8 || step % 25 === 0 ? 90 : 30))).toBeUndefined();
  expect(
    ofWork(
      (step) => 24 + 0.5 * step,
      () => 24,
    ),
  ).toBeUndefined();
});

test('what comes every few steps is told by how long it takes each time', () => {
  const collectedMs = (step: number) => (step % 5 === 0 ? 20 + 0.6 * step : 0);
  const facts = exampleFacts('garbage-collection', working('collecting', collectedMs));
  expect(garbageCollection.judge(facts)?.growth?.text).toMatch(
    /^The time that each takes grew from .* ms to .* ms over the run: look what the job keeps or goes through$/,
  );
  const steady = working('collecting', (step) => (step % 5 === 0 ? 40 : 0));
  const judgement = garbageCollection.judge(exampleFacts('garbage-collection', steady));
  expect(judgement).toBeDefined();
  expect(judgement?.growth).toBeUndefined();
});

test('batches that take a worker longer and longer are told', () => {
  const grownBy = (growNs: number) => {
    const trace = loaderTrace({ batches: 60, batchNs: 5 * MS, growNs });
    const [rank] = jobsOf(trace)[0].ranks;
    const example = exampleFacts('slow-getitem');
    const [worker] = example.workers;
    return makingGrowth(
      { ...example, trace, rank, workers: [{ ...worker, process: 1 }], window: [0, 1e12] },
      'Rows.__getitem__',
    )?.text;
  };
  expect(grownBy(0)).toBeUndefined();
  expect(grownBy(0.3 * MS)).toMatch(
    /^The making of a batch grew from \d.* ms to \d.* ms over the run: look what Rows\.__getitem__ keeps or goes through$/,
  );
});
