import { expect, test } from 'vitest';
import { ROWS_OF_A_PIECE } from '../../shared/numbers/pieces.ts';
import { call, LAUNCH, loopTrace } from '../steps/testing/loop-trace.ts';
import { loaderTrace } from '../testing/loader-trace.ts';
import { explainCall, explainCallInPieces } from './explain-call.ts';
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

test('the first explanation of a large trace is made of pieces, the next one of few', () => {
  const rows = 3 * ROWS_OF_A_PIECE;
  const plan = Array.from({ length: rows }, (_, at) => call(LAUNCH, 10 * at, 5));
  const trace = loopTrace({ cuda_call: plan });
  const pieces = (row: number) => [...explainCallInPieces(trace, row)].length;
  const first = pieces(0);
  const next = pieces(1);
  // Streams, rates, calls like this one and those of its thread are each looked for in all rows.
  expect(first - next).toBeGreaterThanOrEqual(4 * 2);
  expect(next).toBeLessThan(10);
});
