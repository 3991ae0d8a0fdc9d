import { expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { perTraceInPieces } from './per-trace.ts';

const trace = () => ({ tables: {} }) as Trace;

test('what is worked out in pieces is there once, whoever needs it in between', () => {
  let made = 0;
  const counted = perTraceInPieces(function* () {
    yield;
    return { made: ++made };
  });
  const one = trace();
  const ahead = counted.ahead(one);
  ahead.next();
  const needed = counted.of(one);
  expect(needed).toEqual({ made: 1 });
  expect(ahead.next().done).toBe(true);
  expect(counted.of(one)).toBe(needed);
  expect(made).toBe(2);

  const other = trace();
  expect([...counted.ahead(other)]).toHaveLength(1);
  expect(counted.of(other)).toEqual({ made: 3 });
  expect([...counted.ahead(other)]).toHaveLength(0);
  expect(made).toBe(3);
});
