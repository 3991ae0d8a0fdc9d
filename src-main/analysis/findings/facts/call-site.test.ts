import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import { buildTrace } from '../../testing/build-trace.ts';
import { callSites } from './call-site.ts';

const own = (symbol: string, line: number): Frame => ({
  ...{ symbol, file: '/home/me/train.py', line, language: 'python' },
});
const library: Frame = {
  ...{ symbol: 'item', file: '/opt/venv/lib/python3.11/site-packages/torch/_tensor.py', line: 9 },
  language: 'python',
};

/** Of one call with each of these stacks, innermost frame first. */
function sitesOf(...stacks: readonly Frame[][]) {
  const trace = buildTrace({
    stacks: stacks.map((frames) => [...frames]),
    rows: { cuda_call: stacks.map((_, stack) => ({ startNs: stack * 10, durationNs: 1, stack })) },
  });
  return callSites(trace, [...stacks.keys()]);
}

test('the innermost function of the job is told, at its commonest line, most calls first', () => {
  const { sites, main } = sitesOf(
    [library, own('read_loss', 40), own('main', 80)],
    [library, own('read_loss', 41), own('main', 80)],
    [library, own('read_loss', 41), own('main', 80)],
    [library, own('log', 50), own('main', 81)],
  );
  expect(sites).toEqual([
    { place: 'read_loss (train.py:41)', count: 3 },
    { place: 'log (train.py:50)', count: 1 },
  ]);
  expect(main).toBe(sites[0]);
});

test('a function that several call to do it for them is looked through', () => {
  const wait = own('wait', 9);
  const { main } = sitesOf(...[1, 2, 3].map(() => [wait, own('read_loss', 40), own('main', 80)]), [
    wait,
    own('train', 30),
    own('main', 81),
  ]);
  expect(main?.place).toBe('read_loss (train.py:40)');
});

test('one that only one other calls is not', () => {
  const { main } = sitesOf([own('wait', 9), own('main', 80)], [own('wait', 9), own('main', 81)]);
  expect(main?.place).toBe('wait (train.py:9)');
});

test('where two make as many, none is the one to blame; without Python none is told', () => {
  expect(sitesOf([own('a', 1)], [own('b', 2)]).main).toBeUndefined();
  expect(sitesOf([library]).main?.place).toBe('item (_tensor.py:9)');
  expect(sitesOf([{ symbol: 'f', file: '/lib/x.so', language: 'native' }]).sites).toEqual([]);
});
