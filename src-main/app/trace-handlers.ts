import type { OpenedTrace } from '../shared/contract/trace-calls.ts';
import type { CallError } from '../shared/contract.ts';
import { fail, ok, type Result } from '../shared/result.ts';
import type { CallContext } from '../shared/rpc.ts';
import { allowedPath } from './allowed-path.ts';
import { catalogueEntryOf } from './catalogue-entry.ts';
import type { AreaHandlers, Services } from './services.ts';

export function traceHandlers(services: Services): AreaHandlers<'trace'> {
  const { platform, traces } = services;
  return {
    'trace.open': ({ id }, context) => openInvestigation(services, id, context),
    async 'trace.openFile'({ path }, context) {
      const allowed = await allowedPath(platform, path);
      if (!allowed.ok) return allowed;
      const opened = await traces.open(allowed.value, context);
      if (!opened.ok) return opened;
      const { id: traceId, summary } = opened.value;
      traces.useBy(traceId, context.session);
      return ok({ traceId, summary });
    },
    async 'trace.close'({ traceId }) {
      traces.close(traceId);
      return ok(null);
    },
    async 'trace.operations'({ traceId, bySize }, { session }) {
      const trace = traces.find(traceId);
      traces.useBy(traceId, session);
      return trace.ok ? alive(await trace.value.client.call('operations', { bySize })) : trace;
    },
    async 'trace.explain'({ traceId, call }, { session }) {
      const trace = traces.find(traceId);
      traces.useBy(traceId, session);
      return trace.ok ? alive(await trace.value.client.call('explain', { call })) : trace;
    },
    async 'trace.flame'({ traceId, query }, { session }) {
      const trace = traces.find(traceId);
      traces.useBy(traceId, session);
      return trace.ok ? alive(await trace.value.client.call('flame', { query })) : trace;
    },
  };
}

/** Opens an entry of the library, and notes there when that was. */
async function openInvestigation(
  { library, platform, traces, emit }: Services,
  id: number,
  context: CallContext,
): Promise<Result<OpenedTrace, CallError<'trace.open'>>> {
  const found = await library.call('find', { id });
  if (!found.ok) return found;
  const { path, sample } = found.value;
  // Other hosts share the library; what they listed is no leave to read it here.
  const allowed = sample ? ok(path) : await allowedPath(platform, path);
  if (!allowed.ok) return allowed;
  const file = allowed.value;
  const opened = (await traces.takeIdle(file)) ?? (await traces.open(file, context));
  if (!opened.ok) return opened;
  const { id: traceId, summary } = opened.value;
  traces.useBy(traceId, context.session);
  const entry = await catalogueEntryOf(path, summary, found.value);
  const updated = await library.call('put', { entry, opened: true });
  if (updated.ok) emit('library.changed', null);
  if (context.signal.aborted) {
    // Nobody gets to know its id.
    traces.close(traceId);
    return fail('cancelled', 'Cancelled.');
  }
  // A library that can't be written must not keep anyone from reading the trace.
  const investigation = updated.ok ? updated.value : found.value;
  return ok({ traceId, investigation, summary });
}

/** A process that died while it was asked is named as such, not as a lost connection of the user's. */
export function alive<T, Code extends string>(
  result: Result<T, Code>,
): Result<T, Code | 'process-lost'> {
  if (result.ok || result.error.code !== 'disconnected') return result;
  return fail(
    'process-lost',
    'The process of this trace has ended: open it again.',
    result.error.message,
  );
}
