import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activeParts } from '../../test/support/page/github-markdown.ts';
import type { FlameDifference } from '../shared/answers/flame-difference.ts';
import { flameDifferenceSentence, functionRows } from '../shared/words/flame-difference-rows.ts';
import { flameDifference } from './flame-difference.ts';
import { flameDifferenceMarkdown } from './flame-difference-markdown.ts';
import { runFlame as run } from './testing/run-flame.ts';

const MS = 1e6;

/** The tree as text: `name first/second`, indented. */
function drawn({ tree, first, second }: FlameDifference): string[] {
  const depth: number[] = [];
  return tree.parent.map((above, node) => {
    depth[node] = above < 0 ? 0 : (depth[above] ?? 0) + 1;
    const { symbol } = tree.frames[tree.frame[node] ?? -1] ?? { symbol: '?' };
    return `${' '.repeat(depth[node])}${symbol} ${first.total[node]}/${second.total[node]}`;
  });
}

describe('the stacks of two runs in one tree', () => {
  test('stand under each other, whichever run they are in, a mean step of each', () => {
    const first = run(
      { 'main (a.py);load (a.py);read (libc.so)': [40, 4], 'main (a.py);copy (a.py)': [20, 2] },
      { steps: 2 },
    );
    const second = run(
      { 'main (a.py);copy (a.py)': [40, 4], 'main (a.py);log (a.py)': [120, 9] },
      { steps: 4 },
    );
    const found = flameDifference(first, second);
    expect(found.per).toBe('step');
    expect(drawn(found)).toEqual([
      'main 30/40',
      ' log 0/30',
      ' load 20/0',
      '  read 20/0',
      ' copy 10/10',
    ]);
    expect(found.tree.total).toEqual([35, 15, 10, 10, 10]);
    expect([found.first.whole, found.second.whole]).toEqual([30, 40]);
    expect(functionRows(found).map(([name, below, , , change]) => [name, below, change])).toEqual([
      ['log (a.py)', '', '+30 ns'],
      ['read (libc.so)', 'load (a.py)', '−20 ns'],
    ]);
  });

  test('are told by the second where a run has no steps, which is said', () => {
    const first = run({ 'main (a.py)': [4 * MS, 1] }, { lengthNs: 2e9, steps: 5 });
    const second = run({ 'main (a.py)': [3 * MS, 1] }, { lengthNs: 1e9 });
    const found = flameDifference(first, second);
    expect([found.per, ...drawn(found)]).toEqual(['second', 'main 2000000/3000000']);
    expect(found.notes.join()).toContain('both are compared per second of recording');
  });

  test('of one run twice do not differ', () => {
    const one = run({ 'main (a.py);f (a.py)': [7, 3], 'main (a.py)': [5, 1] }, { steps: 3 });
    const found = flameDifference(one, one);
    expect(found.first.total).toEqual(found.second.total);
    expect(functionRows(found)).toEqual([]);
    expect(flameDifferenceSentence(found)).toMatch(/\(as before\)\. No function changed\.$/);
  });

  test('are the same function where its file lies elsewhere, unless that name has several', () => {
    const at = (root: string) =>
      run(
        {
          [`main (${root}/train.py);fetch (${root}/site-packages/torch/fetch.py)`]: [10, 1],
          [`main (${root}/train.py);get (${root}/a/data.py)`]: [10, 1],
          [`main (${root}/train.py);get (${root}/b/data.py)`]: [10, 1],
        },
        { steps: 1 },
      );
    expect(drawn(flameDifference(at('/home/ada'), at('/work')))).toEqual([
      'main 30/30',
      ' fetch 10/10',
      ' get 10/0',
      ' get 10/0',
      ' get 0/10',
      ' get 0/10',
    ]);
  });

  test('that call themselves count once', () => {
    const first = run({ 'f (a.py);f (a.py);f (a.py)': [9, 1] }, { steps: 1 });
    const second = run({ 'f (a.py);f (a.py);f (a.py)': [30, 1] }, { steps: 1 });
    const { functions } = flameDifference(first, second);
    expect(functions).toEqual([{ frame: 0, first: 9, second: 30, mayBeChance: false }]);
  });
});

describe('samples', () => {
  const sampled = { weight: 'cpu-samples', steps: 100 } as const;

  test('are time where both intervals are known, also where these differ', () => {
    const first = run({ 'f (a.py)': [400, 400] }, { ...sampled, everyNs: 10 * MS });
    const second = run({ 'f (a.py)': [4_000, 4_000] }, { ...sampled, everyNs: 1 * MS });
    const found = flameDifference(first, second);
    expect([found.tree.unit, ...drawn(found)]).toEqual(['ns', 'f 40000000/40000000']);
    expect(found.notes).toEqual([
      'Samples were taken every 10.00 ms and every 1.000 ms: they are compared as time.',
    ]);
    const unknown = flameDifference(first, run({ 'f (a.py)': [400, 400] }, sampled));
    expect([unknown.tree.unit, ...drawn(unknown)]).toEqual(['samples', 'f 4/4']);
    expect(unknown.notes.join()).toContain('Of at least one run it is not known how often');
  });

  test('that are few may differ by chance: no sentence names them', () => {
    const first = run({ 'f (a.py)': [9, 9], 'g (a.py)': [400, 400] }, sampled);
    const second = run({ 'f (a.py)': [18, 18], 'g (a.py)': [405, 405] }, sampled);
    const found = flameDifference(first, second);
    expect(found.mayBeChance).toEqual([1, 1]);
    expect(functionRows(found).map((row) => row.at(-1))).toEqual([
      '+0.09 samples, may be chance',
      '+0.05 samples, may be chance',
    ]);
    expect(flameDifferenceSentence(found)).toContain(
      'No function changed by more than may be chance.',
    );
    const many = run({ 'f (a.py)': [90, 90], 'g (a.py)': [405, 405] }, sampled);
    expect(flameDifferenceSentence(flameDifference(first, many))).toMatch(
      /Most of all changed f \(a\.py\), by \+0\.81 samples\.$/,
    );
  });

  test('of the same job differ by chance in few of a hundred recordings', () => {
    // A fixed generator: the share is the same in every run of this test.
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    /** So many of a thousand moments in which it was seen. */
    const draw = () => Array.from({ length: 1_000 }, random).filter((value) => value < 0.05).length;
    let sure = 0;
    for (let at = 0; at < 300; at++) {
      const [was, is] = [draw(), draw()];
      const found = flameDifference(
        run({ 'f (a.py)': [was, was] }, sampled),
        run({ 'f (a.py)': [is, is] }, sampled),
      );
      if (found.mayBeChance[0] === 0) sure++;
    }
    expect(sure).toBeLessThan(6);
  });
});

describe('what is to be known first', () => {
  test('is said: other kinds of functions, weight without a stack or cut', () => {
    const first = run({ 'main (a.py)': [100, 1] }, { steps: 1 });
    const second = run({ 'main (a.py);copy_ (libtorch.so)': [100, 1] }, { steps: 1 });
    const { tree } = second;
    const withoutStack = { events: 5, weight: 100 };
    const found = flameDifference(first, {
      ...second,
      tree: { ...tree, withoutStack, cutWeight: 50 },
    });
    expect(found.notes).toEqual([
      '50.0 % of the second run has no stack and is not compared.',
      '50.0 % of the second run is in stacks too small to be compared.',
      'Only the second run has native functions. Where the other was recorded without them, this is not a real change.',
    ]);
  });

  test('is Markdown in which names are text', () => {
    const found = flameDifference(
      run({ '<img src=x> (a|b.py)': [1 * MS, 1] }, { steps: 1 }),
      run({ '<img src=x> (a|b.py)': [9 * MS, 1] }, { steps: 1 }),
    );
    const text = flameDifferenceMarkdown(found);
    expect(text).toMatch(/^## What changed by function: Time in CUDA calls, a step\n/);
    expect(activeParts(text)).toEqual([]);
    expect(text.split('\n').find((line) => line.includes('+8.000 ms |'))).toMatch(/a\\\|b/);
  });
});

const names = ['main (a.py)', 'f (a.py)', 'g (b.py)', 'copy_ (libtorch.so)', 'gemm (GPU)'];
const stacks = fc.dictionary(
  fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 6 }).map((path) => path.join(';')),
  fc.tuple(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 9 })),
  { minKeys: 1, maxKeys: 12 },
);

test('any two trees: nothing is lost, a node is what is in it and below it, swapped the sides swap', () => {
  fc.assert(
    fc.property(stacks, stacks, (one, other) => {
      const [first, second] = [run(one, { steps: 1 }), run(other, { steps: 1 })];
      const found = flameDifference(first, second);
      const { tree } = found;
      for (const [side, { tree: own }] of [
        [found.first, first],
        [found.second, second],
      ] as const) {
        const sums = side.self.slice();
        for (let node = tree.parent.length - 1; node >= 0; node--) {
          const above = tree.parent[node] ?? -1;
          expect(above).toBeLessThan(node);
          expect(side.total[node]).toBe(sums[node]);
          if (above >= 0) sums[above] = (sums[above] ?? 0) + (sums[node] ?? 0);
        }
        const roots = side.total.filter((_, node) => (tree.parent[node] ?? 0) < 0);
        expect(roots.reduce((sum, value) => sum + value, 0)).toBe(own.totalWeight);
      }
      const swapped = flameDifference(second, first);
      const changes = ({ tree: { frames }, functions }: FlameDifference, sign: number) =>
        functions
          .map((row) => [frames[row.frame]?.symbol, sign * (row.second - row.first)].join(' '))
          .sort();
      expect(changes(swapped, -1).map((text) => text.replace(' -0', ' 0'))).toEqual(
        changes(found, 1).map((text) => text.replace(' -0', ' 0')),
      );
    }),
  );
});

test('what no Python calls stands below its own caller', () => {
  const first = run({ 'conv (libtorch.so);gemm (GPU)': [10, 1] }, { steps: 1 });
  const second = run({ 'conv (libtorch.so);gemm (GPU)': [30, 1] }, { steps: 1 });
  expect(functionRows(flameDifference(first, second))).toEqual([
    ['gemm (GPU)', 'conv (libtorch.so)', '10 ns', '30 ns', '+20 ns'],
  ]);
});
