import type { SavedView } from '../../shared/library/view.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatDuration } from '../../shared/text/units.ts';
import type { ExportOptions } from './export-options.ts';
import { findCall } from './find-call.ts';
import type { UsedTrace } from './with-trace.ts';

/** What the outputs are about. */
export interface ExportFocus {
  /** Row of cuda_call. */
  readonly call?: number;
  readonly range?: { readonly startNs: number; readonly endNs: number };
  /** What the picture shows. */
  readonly view: SavedView;
}

/** The narrowest margin around a call in a picture. */
const MARGIN_NS = 500;

/** What the options name; where they name nothing, what the saved view had selected. */
export async function findFocus(
  source: UsedTrace,
  options: ExportOptions,
  context: CallContext,
): Promise<Result<ExportFocus>> {
  const saved: SavedView = source.view ?? { tab: 'timeline' };
  const range = rangeOf(options, source.summary.lengthNs);
  if (!range.ok) return range;
  const call = await findCall(source.app, source.traceId, options, context);
  if (!call.ok) return call;
  const isNamed = range.value !== undefined || call.value !== undefined;
  if (!isNamed) return ok({ ...(await savedFocus(source, saved, context)), view: saved });
  const view = await viewOf(source, saved, call.value, range.value, context);
  if (!view.ok) return view;
  return ok({
    view: view.value,
    ...(call.value !== undefined && { call: call.value }),
    ...(range.value !== undefined && { range: range.value }),
  });
}

/** A row's number says nothing by itself: the view may be of another version of the file. */
async function savedFocus(
  { app, traceId }: UsedTrace,
  { event, range }: SavedView,
  context: CallContext,
): Promise<Omit<ExportFocus, 'view'>> {
  const stretch = range !== undefined && { range };
  if (event?.table !== 'cuda_call') return { ...stretch };
  const { row: call, startNs, durationNs } = event;
  const found = await app.handlers['trace.explain']({ traceId, call }, context);
  const isSame =
    found.ok &&
    found.value.call.startNs === startNs &&
    Math.max(0, found.value.call.durationNs) === durationNs;
  if (isSame) return { call, ...stretch };
  console.error('stalltrace: the call that was selected is not in this trace any more.');
  return { ...stretch };
}

function rangeOf({ fromNs, toNs }: ExportOptions, lengthNs: number): Result<ExportFocus['range']> {
  if (fromNs === undefined && toNs === undefined) return ok(undefined);
  const startNs = fromNs ?? 0;
  if (startNs >= lengthNs) {
    const message = `--from is beyond the end of the trace, which is ${formatDuration(lengthNs)} long: give an earlier time.`;
    return fail('not-found', message);
  }
  return ok({ startNs, endNs: Math.min(toNs ?? lengthNs, lengthNs) });
}

/** The saved tracks, on the window that the options name. */
async function viewOf(
  { app, traceId, summary }: UsedTrace,
  { window: _window, range: _range, event: _event, ...saved }: SavedView,
  row: number | undefined,
  range: ExportFocus['range'],
  context: CallContext,
): Promise<Result<SavedView>> {
  const stretch = range !== undefined && { range };
  if (row === undefined) return ok({ ...saved, ...stretch, ...(range && { window: range }) });
  const explained = await app.handlers['trace.explain']({ traceId, call: row }, context);
  if (!explained.ok) return explained;
  const { startNs, durationNs, name } = explained.value.call;
  const label = cleanText(name, 300);
  const event = { table: 'cuda_call', row, startNs, durationNs, label } as const;
  const margin = Math.max(durationNs / 10, MARGIN_NS);
  const window = range ?? {
    startNs: Math.max(0, startNs - margin),
    endNs: Math.min(
      startNs + durationNs + margin,
      Math.max(summary.lengthNs, startNs + durationNs),
    ),
  };
  return ok({ ...saved, ...stretch, window, event });
}
