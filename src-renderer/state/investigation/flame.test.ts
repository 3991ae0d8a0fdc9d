import { describe, expect, test } from 'vitest';
import type { FlameFrame, FlameQuery, FlameTree } from '../../../src-main/shared/answers/flame.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { fakeFlame, native, python } from '../../../src-main/timeline/testing/fake-flame.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { fakeOpened } from '../testing/fake-trace.ts';
import { Selection } from '../timeline/selection.svelte.ts';
import { FlameState } from './flame.svelte.ts';
import { flameCommands } from './flame-commands.ts';

const main = python('main');
const copy = native('copy');
const tree = fakeFlame([
  [[main, copy], 60],
  [[main, python('other')], 40],
]);

function withStacks() {
  const opened = fakeOpened({ cuda_call: 2 });
  const cuda = opened.summary.tables.cuda_call;
  const columns = [...cuda.columns, 'stack', 'bytes'];
  const tables = { ...opened.summary.tables, cuda_call: { ...cuda, columns } };
  return { ...opened, summary: { ...opened.summary, tables } };
}

function build(answer: (query: FlameQuery) => FlameTree = () => tree) {
  const fake = new FakeApi().answer('trace.flame', ({ query }) => ok(answer(query)));
  const selection = new Selection();
  const opened = withStacks();
  const flame = new FlameState(fake.api, () => opened, selection);
  const queries = () => fake.asked.map(({ args }) => (args as { query: FlameQuery }).query);
  return { fake, flame, selection, queries };
}

describe('the flame graph', () => {
  test('asks for the first weight there is, and once only', async () => {
    const { flame, queries } = build();
    await flame.load();
    await flame.load();
    expect(queries()).toEqual([{ weight: 'cuda-time', order: 'heavy', byRole: true }]);
    expect(flame.main.tree).toBe(tree);
  });

  test('follows the range, the thread, the order and the weight', async () => {
    const { flame, selection, queries } = build();
    selection.selectRange({ startNs: 1, endNs: 9 });
    flame.chooseThread(0);
    flame.chooseOrder('time');
    flame.chooseWeight('cuda-bytes');
    await flame.load();
    expect(queries()).toEqual([
      { weight: 'cuda-bytes', order: 'time', range: { startNs: 1, endNs: 9 }, thread: 0 },
    ]);
    flame.chooseWeight('off-cpu-time');
    expect(flame.weight).toBe('cuda-time');
  });

  test('asks for the threads of one machine, or for one thread', async () => {
    const { flame, queries } = build();
    flame.chooseThread(0);
    flame.chooseHost(1);
    await flame.load();
    flame.chooseThread(2);
    await flame.load();
    flame.chooseHost(0);
    flame.clear();
    await flame.load();
    const asked = { weight: 'cuda-time', order: 'heavy', byRole: true };
    expect(queries()).toEqual([{ ...asked, host: 1 }, { ...asked, thread: 2 }, asked]);
  });

  test('opens on where the CPU time went, of a range on its CUDA calls', () => {
    const opened = withStacks();
    const { tables } = opened.summary;
    const samples = { ...tables.cpu_sample, rows: 2, columns: ['startNs', 'thread', 'stack'] };
    const summary = { ...opened.summary, tables: { ...tables, cpu_sample: samples } };
    const selection = new Selection();
    const flame = new FlameState(new FakeApi().api, () => ({ ...opened, summary }), selection);
    expect(flame.weight).toBe('cpu-samples');
    selection.selectRange({ startNs: 1, endNs: 9 });
    expect(flame.weight).toBe('cuda-time');
    flame.chooseWeight('cpu-samples');
    expect(flame.weight).toBe('cpu-samples');
  });

  test('shows another weight where a range has nothing of the usual one, and says so', async () => {
    const empty = fakeFlame([]);
    const { flame, selection, queries } = build(({ weight, range }) =>
      range !== undefined && weight !== 'cuda-bytes' ? empty : tree,
    );
    selection.selectRange({ startNs: 1, endNs: 9 });
    await flame.load();
    expect(flame.weight).toBe('cuda-bytes');
    expect(flame.emptyWeight).toBe('cuda-time');
    expect(flame.main.tree).toBe(tree);
    const asked = queries().length;
    await flame.load();
    expect(queries().length).toBe(asked);
    // What somebody chose stays, and so does what there is of all.
    flame.chooseWeight('cuda-time');
    await flame.load();
    expect([flame.weight, flame.emptyWeight, flame.main.tree]).toEqual([
      'cuda-time',
      undefined,
      empty,
    ]);
  });

  test('of a range without any stack it says so', async () => {
    const { flame, selection } = build(() => fakeFlame([]));
    selection.selectRange({ startNs: 1, endNs: 9 });
    await flame.load();
    expect([flame.weight, flame.emptyWeight, flame.busy]).toEqual(['cuda-time', undefined, false]);
  });

  test('has no role as the middle of a sandwich, and keeps whether roles are wanted', async () => {
    const role: FlameFrame = { symbol: 'Training process', language: 'role' };
    const { flame, queries } = build(() => fakeFlame([[[role, main], 5]]));
    await flame.load();
    flame.main.select(0);
    flame.showFunction(role);
    expect(flame.order).toBe('heavy');
    flame.chooseOrder('sandwich');
    expect(flame.function?.symbol).toBe('main');
    flame.chooseOrder('heavy');
    flame.showByRole(false);
    await flame.load();
    expect(queries().at(-1)).toEqual({ weight: 'cuda-time', order: 'heavy' });
    const saved = flame.saved();
    expect(saved).toMatchObject({ byRole: false });
    const other = build().flame;
    other.restore(saved);
    expect(other.byRole).toBe(false);
  });

  test('asks for callers and callees of the function in the middle', async () => {
    const { flame, queries } = build();
    await flame.load();
    flame.main.select(1);
    flameCommands(flame, () => undefined)['flame-sandwich']?.(false);
    await flame.load();
    expect(queries().slice(1)).toEqual([
      { weight: 'cuda-time', order: 'heavy' },
      { weight: 'cuda-time', order: 'callers', symbol: 'copy', file: 'libtorch.so' },
      { weight: 'cuda-time', order: 'callees', symbol: 'copy', file: 'libtorch.so' },
    ]);
    expect(flame.active).toBe(flame.callees);
    expect(flame.callees.selected).toBe(0);
  });

  test('a sandwich begins with the function where the most weight ended', async () => {
    const { flame } = build();
    await flame.load();
    flame.chooseOrder('sandwich');
    expect(flame.function).toEqual({ symbol: 'copy', file: 'libtorch.so' });
  });

  test('keeps the selected function where another tree has it, and says what failed', async () => {
    const { fake, flame, selection } = build();
    await flame.load();
    flame.main.select(1);
    flame.main.zoomTo(1);
    selection.selectRange({ startNs: 0, endNs: 5 });
    await flame.load();
    expect(flame.main.selectedFrame?.symbol).toBe('copy');
    expect(flame.main.isZoomed).toBe(false);
    fake.answer('trace.flame', () => fail('process-lost', 'It ended.'));
    selection.selectRange(undefined);
    await flame.load();
    expect(flame.failure?.message).toBe('It ended.');
    expect(flame.main.tree).toBe(tree);
    fake.answer('trace.flame', () => ok(tree));
    await flame.load();
    expect(flame.failure).toBeUndefined();
  });

  test('goes from frame to frame, zooms, and resets step by step', async () => {
    const { flame } = build();
    await flame.load();
    flame.search = 'copy';
    let searches = 0;
    const commands = flameCommands(flame, () => {
      searches++;
    });
    const symbol = () => flame.main.selectedFrame?.symbol;
    commands['flame-child']?.(false);
    expect(symbol()).toBe('main');
    commands['flame-child']?.(false);
    expect(symbol()).toBe('copy');
    commands['flame-next']?.(false);
    expect(symbol()).toBe('other');
    commands['flame-zoom']?.(false);
    expect(flame.main.window).toEqual({ left: 0.6, right: 1 });
    commands['flame-next-match']?.(false);
    expect(symbol()).toBe('copy');
    expect(flame.main.window.left).toBeLessThan(0.6);
    commands['flame-reset']?.(false);
    expect(flame.main.isZoomed).toBe(false);
    expect(symbol()).toBe('copy');
    commands['flame-reset']?.(false);
    expect(symbol()).toBeUndefined();
    commands['flame-search']?.(false);
    expect(searches).toBe(1);
  });

  test('is saved and restored; as it is at first it says nothing', () => {
    const { flame } = build();
    expect(flame.saved()).toBeUndefined();
    flame.search = 'copy';
    flame.showFunction(copy);
    const saved = flame.saved();
    expect(saved).toEqual({
      weight: 'cuda-time',
      order: 'sandwich',
      symbol: 'copy',
      file: 'libtorch.so',
      search: 'copy',
    });
    const other = build().flame;
    other.restore(saved);
    expect(other.saved()).toEqual(saved);
    other.restore(undefined);
    expect(other.saved()).toBeUndefined();
  });

  test('folds what is not the user’s code, and forgets all of another trace', async () => {
    const { flame } = build();
    await flame.load();
    flame.showMyCode(true);
    expect(flame.main.tree?.frames.at(-1)?.symbol).toBe('Library and native code');
    flame.clear();
    expect(flame.main.tree).toBeUndefined();
    expect(flame.myCode).toBe(false);
  });
});
