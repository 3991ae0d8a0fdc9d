import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FlameTree } from '../../src-main/shared/answers/flame.ts';
import { fakeFlame, native, python } from '../../src-main/timeline/testing/fake-flame.ts';
import {
  FOLDED,
  findFrames,
  foldLibraryCode,
  functionRows,
  isLibraryCode,
} from './flame-functions.ts';
import { heaviestChild, layoutFlame, nodeAt, stepFrom } from './flame-layout.ts';

const main = python('main');
const step = python('step');
const forward = python('forward', '/x/site-packages/torch/nn/modules/linear.py');
const copy = native('copy');
const sync = native('sync');
const tree = fakeFlame([
  [[main, step, forward, copy], 40],
  [[main, step, forward, step], 10],
  [[main, sync], 30],
  [[main], 20],
]);
const names = (nodes: readonly number[]) =>
  nodes.map((node) => tree.frames[tree.frame[node] ?? 0]?.symbol);

const anyFrame = fc.constantFrom(main, step, forward, copy, sync);
const anyPaths = fc.array(
  fc.tuple(fc.array(anyFrame, { minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 50 })),
  { minLength: 1, maxLength: 12 },
);
const anyTree = anyPaths.map(fakeFlame);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the layout', () => {
  const layout = layoutFlame(tree, 100);

  test('gives each node its share, children from the left under their parent', () => {
    expect(layout.rows.map(names)).toEqual([
      ['main'],
      ['step', 'sync'],
      ['forward'],
      ['copy', 'step'],
    ]);
    const spans = layout.rows.flat().map((node) => [layout.left[node], layout.right[node]]);
    [
      [0, 1],
      [0, 0.5],
      [0.5, 0.8],
      [0, 0.5],
      [0, 0.4],
      [0.4, 0.5],
    ].forEach((span, at) => {
      expect(spans[at]?.[0]).toBeCloseTo(span[0] ?? 0);
      expect(spans[at]?.[1]).toBeCloseTo(span[1] ?? 0);
    });
  });

  test('finds the node at a place', () => {
    const at = (share: number, row: number) => {
      const node = nodeAt(layout, share, row);
      return node === undefined ? undefined : names([node])[0];
    };
    expect([at(0.1, 0), at(0.7, 1), at(0.45, 3), at(0.9, 1), at(0.1, 9), at(0.1, -1)]).toEqual([
      'main',
      'sync',
      'step',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('steps to the caller, the heaviest callee and the sides, and stays at the ends', () => {
    const first = heaviestChild(layout) ?? -1;
    expect(names([first])).toEqual(['main']);
    const child = stepFrom(layout, first, 'child');
    expect(names([child, stepFrom(layout, child, 'next')])).toEqual(['step', 'sync']);
    expect(stepFrom(layout, child, 'previous')).toBe(child);
    expect(stepFrom(layout, child, 'parent')).toBe(first);
    expect(stepFrom(layout, first, 'parent')).toBe(first);
    expect(names([stepFrom(layout, stepFrom(layout, child, 'next'), 'child')])).toEqual(['sync']);
  });

  test('leaves a node without width beside its neighbours, whatever is rounded', () => {
    const rounded = fakeFlame([
      [[main], 136],
      [[forward, main], 5],
      [[forward, forward, main], 35],
      [[forward, copy], 0],
      [[sync, sync], 49],
      [[sync], 2],
    ]);
    const { rows } = layoutFlame(rounded, rounded.totalWeight);
    expect(rows[1]?.map((node) => rounded.parent[node])).toEqual([1, 1, 1, 6]);
  });

  test('keeps children inside their parents and rows without overlap', () => {
    fc.assert(
      fc.property(anyTree, (any) => {
        const { left, right, rows } = layoutFlame(any, Math.max(1, any.totalWeight));
        any.parent.forEach((above, node) => {
          if (above < 0) return;
          expect(left[node]).toBeGreaterThanOrEqual((left[above] ?? 0) - 1e-9);
          expect(right[node]).toBeLessThanOrEqual((right[above] ?? 0) + 1e-9);
        });
        for (const row of rows)
          row.reduce((end, node) => {
            expect(left[node]).toBeGreaterThanOrEqual(end - 1e-9);
            return right[node] ?? 0;
          }, 0);
      }),
    );
  });
});

describe('functions', () => {
  test('have self, total and count, recursion once', () => {
    const rows = functionRows(tree).map(({ frame, self, total }) => [
      tree.frames[frame]?.symbol,
      self,
      total,
    ]);
    expect(rows).toEqual([
      ['main', 20, 100],
      ['step', 10, 50],
      ['forward', 0, 50],
      ['copy', 40, 40],
      ['sync', 30, 30],
    ]);
  });

  test('come to the whole by their own weights, and none is heavier than it', () => {
    fc.assert(
      fc.property(anyTree, (any) => {
        const rows = functionRows(any);
        expect(sum(rows.map(({ self }) => self))).toBe(any.totalWeight);
        for (const { self, total } of rows) {
          expect(self).toBeLessThanOrEqual(total);
          expect(total).toBeLessThanOrEqual(any.totalWeight);
        }
      }),
    );
  });

  test('are found by all words of a search, their weight counted once', () => {
    expect(findFrames(tree, ' ')).toBeUndefined();
    expect(findFrames(tree, 'STEP train')).toMatchObject({ functions: 1, weight: 50 });
    expect(findFrames(tree, 'libtorch')).toMatchObject({ functions: 2, weight: 70 });
    expect(findFrames(tree, 'nothing')).toMatchObject({ functions: 0, weight: 0 });
  });
});

describe('my code only', () => {
  test.each([
    [python('f', '/home/me/train.py'), false],
    [python('f', 'torch/utils/data/dataloader.py'), true],
    [python('f', '/usr/lib/python3.12/threading.py'), true],
    [python('f', 'multiprocessing/queues.py'), true],
    [python('f', '<frozen importlib._bootstrap>'), true],
    [python('f', '/opt/venv/lib/python3.12/site-packages/x/y.py'), true],
    [python('f', 'C:\\env\\Lib\\site-packages\\x.py'), true],
    [python('f', '/home/me/my_torch/net.py'), false],
    [native('f'), true],
  ])('%j', (frame, isLibrary) => expect(isLibraryCode(frame)).toBe(isLibrary));

  test('gives the time of hidden frames to the nearest shown caller as its own', () => {
    const torch = native('copy_');
    const any = fakeFlame([
      [[python('main'), torch, native('memcpy')], 40],
      [[python('main'), torch, python('hook')], 30],
      [[python('main'), python('hook')], 10],
      [[native('start_thread')], 20],
    ]);
    const drawn = (folded: FlameTree) =>
      folded.parent.map((above, node) => [
        above,
        folded.frames[folded.frame[node] ?? -1]?.symbol,
        folded.total[node],
        folded.self[node],
      ]);
    expect(drawn(foldLibraryCode(any, { joinsAll: true, keepsRoot: false }))).toEqual([
      [-1, 'main', 80, 40],
      [0, 'hook', 40, 40],
      [-1, FOLDED.symbol, 20, 20],
    ]);
    const callees = fakeFlame([[[torch, native('memcpy'), python('hook')], 5]]);
    expect(drawn(foldLibraryCode(callees, { joinsAll: true, keepsRoot: true }))).toEqual([
      [-1, 'copy_', 5, 0],
      [0, 'hook', 5, 5],
    ]);
  });

  test('keeps every weight, and shows other code at the root only', () => {
    fc.assert(
      fc.property(anyTree, fc.boolean(), fc.boolean(), (any, joinsAll, keepsRoot) => {
        const folded = foldLibraryCode(any, { joinsAll, keepsRoot });
        expect(sum(folded.self)).toBe(any.totalWeight);
        expect(sum(functionRows(folded).map(({ self }) => self))).toBe(any.totalWeight);
        const below = folded.self.slice();
        folded.parent.forEach((above, node) => {
          expect(above).toBeLessThan(node);
          if (above < 0) return;
          const frame = folded.frames[folded.frame[node] ?? -1];
          expect(frame !== undefined && isLibraryCode(frame)).toBe(false);
          below[above] = (below[above] ?? 0) + (folded.total[node] ?? 0);
        });
        expect(below).toEqual(folded.total);
      }),
    );
  });

  test('gives each function as its own what ended in it or in other code it called last', () => {
    fc.assert(
      fc.property(anyPaths, fc.boolean(), (paths, joinsAll) => {
        const folded = foldLibraryCode(fakeFlame(paths), { joinsAll, keepsRoot: false });
        const expected = new Map<string, number>();
        for (const [path, weight] of paths) {
          const { symbol } = path.findLast((frame) => !isLibraryCode(frame)) ?? FOLDED;
          expected.set(symbol, (expected.get(symbol) ?? 0) + weight);
        }
        for (const { frame, self } of functionRows(folded)) {
          const symbol = folded.frames[frame]?.symbol ?? '';
          expect(self).toBe(expected.get(symbol) ?? 0);
        }
      }),
    );
  });
});
