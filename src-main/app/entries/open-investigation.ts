import type { CallError } from '../../contract/contract.ts';
import type { OpenedTrace } from '../../shared/contract/trace-calls.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { type TraceFileError, traceDamages } from '../../shared/rpc/trace-file-errors.ts';
import { catalogueEntryOf } from '../intake/catalogue-entry.ts';
import { applyRoles } from '../opening/set-role.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { Services } from '../services/services.ts';

/** Opens an entry of the library, and notes there when that was. */
export async function openInvestigation(
  services: Services,
  id: number,
  context: CallContext,
): Promise<Result<OpenedTrace, CallError<'trace.open'>>> {
  const { library, platform, traces, hashing, emit } = services;
  const found = await library.call('find', { id });
  if (!found.ok) return found;
  const { path, sample } = found.value;
  // Other hosts share the library; what they listed is no leave to read it here.
  const allowed = sample ? ok(path) : await allowedPath(platform, path);
  if (!allowed.ok) return allowed;
  const file = allowed.value;
  const opened = (await traces.takeIdle(file)) ?? (await traces.open(file, context));
  if (!opened.ok) return noteDamage(services, found.value, opened);
  const { id: traceId } = opened.value;
  traces.useBy(traceId, context.session);
  traces.refresh(traceId, { investigation: id });
  const withRoles = await applyRoles(services, id, opened.value);
  if (!withRoles.ok) return withRoles;
  const summary = withRoles.value;
  const entry = await catalogueEntryOf(path, summary, found.value);
  const updated = await library.call('noteOpened', { id, entry });
  const view = await library.call('view', { id });
  if (updated.ok) {
    emit('library.changed', null);
    hashing.add(updated.value);
  }
  if (context.signal.aborted) {
    // Nobody gets to know its id.
    traces.close(traceId);
    return fail('cancelled', 'Cancelled.');
  }
  // A library that can't be written must not keep anyone from reading the trace.
  const investigation = updated.ok ? updated.value : found.value;
  const saved = view.ok && view.value !== null ? { view: view.value } : {};
  return ok({ traceId, investigation, summary, ...saved });
}

/** What is wrong with the bytes of a file, and stays so until they are other ones. */
const DAMAGES: ReadonlySet<string> = new Set<TraceFileError>([...traceDamages, 'file-unreadable']);

/** Shows in the list what is wrong with an entry's file. Opening it well takes that back. */
async function noteDamage<Code extends string>(
  { library, emit }: Services,
  { id, path, name }: Investigation,
  failed: { readonly ok: false; readonly error: Failure<Code> },
): Promise<Result<never, Code>> {
  const { code, message, detail } = failed.error;
  if (DAMAGES.has(code)) {
    const noted = await library.call('setDamage', { id, damage: message.slice(0, 1000) });
    if (noted.ok) emit('library.changed', null);
  }
  if (code !== 'file-missing') return failed;
  // A list that was loaded before the file went does not say so yet.
  emit('library.changed', null);
  const sentence = `The file of “${name}” is not at ${path} any more: use “Locate the file…” to say where it is now.`;
  return fail(code, sentence, detail);
}
