import { expect, test, vi } from 'vitest';
import type { App } from '../../app/app.ts';
import type { OperationStats } from '../../shared/answers/operations.ts';
import type { SavedView } from '../../shared/library/view.ts';
import { ok } from '../../shared/rpc/result.ts';
import { contextUntil } from '../session/cli-app.ts';
import { findFocus } from './export-focus.ts';
import type { ExportOptions } from './export-options.ts';
import type { UsedTrace } from './with-trace.ts';

const LENGTH_NS = 10_000_000_000;
const operations = [
  { name: 'cudaMemcpyAsync', direction: 'H2D', maxNs: 7, slowestCall: 3 },
  { name: 'cudaMemcpyAsync', direction: 'D2H', maxNs: 9, slowestCall: 5 },
  { name: 'cudaLaunchKernel', maxNs: 20, slowestCall: 8 },
  { name: 'read', maxNs: 900 },
] as unknown as OperationStats[];
const call = { name: 'cudaMemcpyAsync', startNs: 1_000_000, durationNs: 100_000 };

function sourceOf(view?: SavedView): UsedTrace {
  const handlers = {
    'trace.operations': async () => ok(operations),
    'trace.explain': async () => ok({ call }),
  };
  return {
    app: { handlers } as unknown as App,
    traceId: 'x',
    summary: { lengthNs: LENGTH_NS } as UsedTrace['summary'],
    ...(view !== undefined && { view }),
  };
}

const plain: ExportOptions = {
  file: '/a.db',
  svg: '-',
  force: false,
  notes: true,
  long: false,
  showPrivate: false,
  theme: 'light',
  widthPx: 1280,
};

function focusOf(named: Partial<ExportOptions>, view?: SavedView) {
  const options = { ...plain, ...named };
  return findFocus(sourceOf(view), options, contextUntil(new AbortController().signal));
}

const event = {
  table: 'cuda_call',
  row: 4,
  startNs: 1_000_000,
  durationNs: 100_000,
  label: 'x',
} as const;
const window = { startNs: 1, endNs: 9 };
const saved: SavedView = { tab: 'notes', window, range: { startNs: 2, endNs: 3 }, event };

test('nothing named, nothing saved: the whole trace', async () => {
  expect(await focusOf({})).toEqual(ok({ view: { tab: 'timeline' } }));
});

test('nothing named: what was selected when the view was saved', async () => {
  expect(await focusOf({}, saved)).toEqual(
    ok({ call: 4, range: { startNs: 2, endNs: 3 }, view: saved }),
  );
  const other = { ...saved, event: { ...event, table: 'off_cpu' } } as const;
  expect(await focusOf({}, other)).toEqual(ok({ range: saved.range, view: other }));
});

test('a row that is another call by now is not what was selected', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const wrong of [{ startNs: 1_000_001 }, { durationNs: 7 }]) {
    const view = { ...saved, event: { ...event, ...wrong } };
    expect(await focusOf({}, view)).toEqual(ok({ range: saved.range, view }));
  }
  expect(told).toHaveBeenCalledTimes(2);
});

test('a stretch is cut to the trace, and shown', async () => {
  const range = { startNs: 5_000_000_000, endNs: LENGTH_NS };
  expect(await focusOf({ fromNs: 5_000_000_000, toNs: 3.6e12 }, saved)).toEqual(
    ok({ range, view: { tab: 'notes', range, window: range } }),
  );
  expect(await focusOf({ toNs: 1 })).toMatchObject({
    value: { range: { startNs: 0, endNs: 1 } },
  });
  expect(await focusOf({ fromNs: LENGTH_NS })).toMatchObject({ error: { code: 'not-found' } });
});

test('the slowest call of an operation, in all its directions, with a margin', async () => {
  expect(await focusOf({ slowest: 'CUDAMEMCPYASYNC' })).toEqual(
    ok({
      call: 5,
      view: {
        tab: 'timeline',
        window: { startNs: 990_000, endNs: 1_110_000 },
        event: { ...event, row: 5, startNs: 1_000_000, durationNs: 100_000, label: call.name },
      },
    }),
  );
});

test('an operation that is no CUDA call, or none of this trace: those that are', async () => {
  for (const name of ['read', 'nope']) {
    expect(await focusOf({ slowest: name })).toMatchObject({
      error: { message: expect.stringContaining('It has cudaMemcpyAsync, cudaLaunchKernel.') },
    });
  }
});
