import type { CallError } from '../../contract/contract.ts';
import type { AddedInvestigation, Investigation } from '../../shared/library/investigation.ts';
import type { CaptureOrigin } from '../../shared/remote/capture-origin.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { catalogueEntryOf } from './catalogue-entry.ts';
import type { EarlyOpening } from './open-early.ts';
import { findSameBytes } from './same-bytes.ts';
import type { TakenFile } from './take-file.ts';

type AddResult = Result<AddedInvestigation, CallError<'library.add'>>;

/** Whether an entry can't be opened as long as nobody says where its bytes are now. */
export function lacksFile({ state }: Investigation): boolean {
  return state === 'missing' || state === 'changed';
}

/** The answer where nothing had to be added. A removed entry may be back on the list. */
export function isKnown(
  { emit }: Services,
  investigation: Investigation,
): Result<AddedInvestigation, never> {
  emit('library.changed', null);
  return ok({ investigation, wasKnown: true, notesAdded: 0, bookmarksAdded: 0 });
}

export interface ListOptions {
  /** Has its bytes, where that is known already: it gets the file if its own is gone. */
  readonly same?: Investigation | undefined;
  /** What a new entry is called instead of by its file; the machine, where the trace does not say. */
  readonly as?: { readonly name: string; readonly machine?: string } | undefined;
  /** How it was captured. */
  readonly origin?: CaptureOrigin | undefined;
  /** Reads it already. */
  readonly early?: EarlyOpening | undefined;
}

/** Lists a taken file, which is released. */
export async function listTaken(
  services: Services,
  taken: TakenFile,
  context: CallContext,
  { same, as, origin, early }: ListOptions = {},
): Promise<AddResult> {
  let isListed = false;
  try {
    if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
    const known = same ?? (await knownOf(services, taken, context));
    if (known !== undefined && !lacksFile(known)) return isKnown(services, known);
    const moved = known && (await relocate(services, known, taken));
    const listed = moved?.ok
      ? isKnown(services, moved.value)
      : await addTrace(services, taken, context, { as, origin, early });
    isListed = listed.ok;
    return listed;
  } finally {
    await taken.release(isListed);
  }
}

async function knownOf(
  services: Services,
  { path, sizeBytes, sha256 }: TakenFile,
  context: CallContext,
): Promise<Investigation | undefined> {
  if (sha256 === undefined) return undefined;
  return findSameBytes(services, { path, sizeBytes, sha256 }, context);
}

function relocate({ library }: Services, { id, sha256 }: Investigation, taken: TakenFile) {
  const { path, sizeBytes, storage } = taken;
  const hash = taken.sha256 ?? sha256;
  return library.call('relocate', {
    id,
    path,
    sizeBytes,
    storage,
    ...(hash !== undefined && { sha256: hash }),
  });
}

/** Opens the file to prove that it is a trace, lists it, and keeps it open for the call that follows. */
async function addTrace(
  { library, traces, hashing, emit }: Services,
  { path, storage, sha256, givenName, folder }: TakenFile,
  context: CallContext,
  { as, origin, early }: Pick<ListOptions, 'as' | 'origin' | 'early'>,
): Promise<AddResult> {
  const opened =
    (await early?.as(path)) ??
    (await traces.takeIdle(path)) ??
    (await traces.open(path, context, givenName));
  if (!opened.ok) return opened;
  const { id: traceId, summary } = opened.value;
  const described = await catalogueEntryOf(path, summary, { sample: false, storage });
  const named = as === undefined ? described : { ...as, ...described, name: as.name };
  const entry = origin === undefined ? named : { ...named, origin };
  if (context.signal.aborted) {
    traces.close(traceId);
    return fail('cancelled', 'Cancelled.');
  }
  const told = { ...entry, ...(sha256 !== undefined && { sha256 }), ...(folder && { folder }) };
  const added = await library.call('put', { entry: told });
  if (added.ok && !context.signal.aborted) traces.keepWarm(traceId);
  else traces.close(traceId);
  if (!added.ok) return added;
  emit('library.changed', null);
  hashing.add(added.value.investigation);
  return ok({ ...added.value, notesAdded: 0, bookmarksAdded: 0 });
}
