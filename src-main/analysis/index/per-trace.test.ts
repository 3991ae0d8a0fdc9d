import { expect, test } from 'vitest';
import type { Trace } from '../../shared/model/trace.ts';
import { perNumberInPieces } from './per-trace.ts';

const trace = () => ({ tables: {} }) as Trace;

test('what is worked out in pieces is there once, whoever needs it in between', () => {
  let made = 0;
  const squares = perNumberInPieces(function* (_, number) {
    yield;
    made++;
    return { square: number ** 2 };
  });
  const one = trace();
  const ahead = squares.ahead(one, 3);
  ahead.next();
  const needed = squares.of(one, 3);
  expect(needed).toEqual({ square: 9 });
  expect(ahead.next().done).toBe(true);
  expect(squares.of(one, 3)).toBe(needed);
  expect(made).toBe(2);

  expect([...squares.ahead(one, 4)]).toHaveLength(1);
  expect(squares.of(one, 4)).toEqual({ square: 16 });
  expect([...squares.ahead(one, 4)]).toHaveLength(0);
  expect(made).toBe(3);
  expect(squares.of(trace(), 4)).not.toBe(squares.of(one, 4));
});
