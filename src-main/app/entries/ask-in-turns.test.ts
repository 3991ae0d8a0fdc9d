import { expect, test } from 'vitest';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { askInTurns, readAtOnce } from './ask-in-turns.ts';

const never = () => false;

/** Answers when its source says so, or as cancelled once it is aborted. */
function waitingAsker() {
  const asked: string[] = [];
  const ask = (source: string, _: number, signal: AbortSignal) => {
    asked.push(source);
    return new Promise<Result<string, 'cancelled' | 'gone'>>((resolve) => {
      if (source === 'gone') resolve(fail('gone', 'It is gone.'));
      signal.addEventListener('abort', () => resolve(fail('cancelled', 'Cancelled.')));
    });
  };
  return { asked, ask };
}

test('answers are in the order of their sources, and as many are asked at once as may be', async () => {
  let [now, most] = [0, 0];
  const ask = async (source: number) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now--;
    return ok(source * 2);
  };
  const { signal } = new AbortController();
  const answers = await askInTurns([1, 2, 3], { signal, atOnce: 2, goesOn: never }, ask);
  expect(answers).toEqual(ok([ok(2), ok(4), ok(6)]));
  expect(most).toBe(2);
});

test('a cancel ends both that are read at once, and the third is never asked', async () => {
  const { asked, ask } = waitingAsker();
  const stop = new AbortController();
  const { signal } = stop;
  const reading = askInTurns(['a', 'b', 'c'], { signal, atOnce: 2, goesOn: never }, ask);
  await expect.poll(() => asked).toEqual(['a', 'b']);
  stop.abort();
  expect(await reading).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(asked).toEqual(['a', 'b']);
});

test('the one that fails is told, not those that were ended for it', async () => {
  const { asked, ask } = waitingAsker();
  const { signal } = new AbortController();
  const read = await askInTurns(['a', 'gone', 'c'], { signal, atOnce: 2, goesOn: never }, ask);
  expect(read).toEqual(fail('gone', 'It is gone.'));
  expect(asked).toEqual(['a', 'gone']);
});

test('two are read at once only where there is room for the two largest', () => {
  const asked: number[] = [];
  const atOnce = (isRoom: boolean) =>
    readAtOnce([5, 100, 20], (bytes) => {
      asked.push(bytes);
      return isRoom;
    });
  expect(atOnce(false)).toBe(1);
  expect([1, 2]).toContain(atOnce(true));
  // Of a machine with one CPU nobody asks.
  expect(asked.every((bytes) => bytes === 240)).toBe(true);
});
