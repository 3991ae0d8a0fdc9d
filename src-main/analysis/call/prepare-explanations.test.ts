import { expect, test } from 'vitest';
import { loaderTrace } from '../testing/loader-trace.ts';
import { explainCall } from './explain-call.ts';
import { prepareExplanations } from './prepare-explanations.ts';

test('a call is explained alike whether or not that was prepared, in whole or in part', () => {
  const plan = { batches: 10, batchNs: 1_000_000 };
  const plain = loaderTrace(plan);
  const explained = (trace = plain) =>
    Array.from({ length: trace.tables.cuda_call.rows }, (_, call) => explainCall(trace, call));
  expect(explained().length).toBeGreaterThan(0);
  const pieces = [...prepareExplanations(loaderTrace(plan))].length;
  // Piece by piece, so that nobody waits for all of it.
  expect(pieces).toBeGreaterThan(5);
  for (let part = 3; part <= pieces; part += 5) {
    const trace = loaderTrace(plan);
    const steps = prepareExplanations(trace);
    for (let step = 0; step < part; step++) steps.next();
    expect(explained(trace)).toEqual(explained());
  }
});
