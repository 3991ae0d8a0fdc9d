import { stat } from 'node:fs/promises';
import type { CallArguments, CallError } from '../../contract/contract.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, CommonError } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { Services } from '../services/services.ts';
import { catalogueEntryOf } from './catalogue-entry.ts';
import { intakeOf } from './copy-rule.ts';
import { type TakenFile, takeFile } from './take-file.ts';

type Located = Result<Investigation, CallError<'library.locate'>>;

/**
 * Gives an entry the file at a path. The bytes that were hashed are taken as they are; others must
 * be wanted, and open.
 */
export async function locateFile(
  services: Services,
  { id, path, acceptDifferent }: CallArguments<'library.locate'>,
  context: CallContext,
): Promise<Located> {
  const found = await services.library.call('find', { id });
  if (!found.ok) return found;
  const allowed = await allowedPath(services.platform, path);
  if (!allowed.ok) return allowed;
  const source = allowed.value;
  const plain = await checkPlain(source);
  if (!plain.ok) return plain;
  const intake = await intakeOf(services, source, undefined);
  const taken = await takeFile(services, source, intake, context);
  if (!taken.ok) return taken;
  let isTaken = false;
  try {
    const located = await useFile(services, found.value, taken.value, acceptDifferent, context);
    isTaken = located.ok;
    return located;
  } finally {
    await taken.value.release(isTaken);
  }
}

/** Whatever else is at a path, a pipe or a folder, is not even hashed. */
async function checkPlain(path: string): Promise<Result<null, TraceFileError>> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (status instanceof Error) {
    return status.code === 'ENOENT'
      ? fail('file-missing', `${path} is not there: choose another file.`)
      : fail('file-unreadable', `${path} can't be read: check its permissions.`, status.message);
  }
  if (status.isFile()) return ok(null);
  return fail('file-not-a-trace', `${path} is not a file: choose the trace itself.`);
}

async function useFile(
  services: Services,
  entry: Investigation,
  taken: TakenFile,
  acceptDifferent: boolean,
  context: CallContext,
): Promise<Located> {
  const { library, emit } = services;
  const hashed =
    taken.sha256 === undefined
      ? await library.call('hashFile', { path: taken.path }, { signal: context.signal })
      : ok(taken.sha256);
  if (!hashed.ok) return hashed;
  const sha256 = hashed.value;
  // A file that went before it was hashed is known by its size alone.
  const isSame =
    entry.sha256 === undefined ? entry.sizeBytes === taken.sizeBytes : entry.sha256 === sha256;
  if (!isSame && !acceptDifferent) return different(entry, taken);
  const proven = isSame ? ok(undefined) : await describe(services, entry, taken, context);
  if (!proven.ok) return proven;
  if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
  const { path, sizeBytes, storage } = taken;
  const moved = await library.call('relocate', { id: entry.id, path, sizeBytes, storage, sha256 });
  if (!moved.ok) return moved;
  const put =
    proven.value === undefined
      ? moved
      : await library.call('put', { entry: { ...proven.value, sha256 } });
  emit('library.changed', null);
  return put.ok ? library.call('find', { id: entry.id }) : put;
}

/** Opens a file that is not the entry's own, to prove that it is a trace and describe it. */
async function describe(
  { traces }: Services,
  { sample }: Investigation,
  { path, storage }: TakenFile,
  context: CallContext,
): Promise<Result<Awaited<ReturnType<typeof catalogueEntryOf>>, TraceFileError | CommonError>> {
  const opened = await traces.open(path, context);
  if (!opened.ok) return opened;
  traces.keepWarm(opened.value.id);
  return ok(await catalogueEntryOf(path, opened.value.summary, { sample, storage }));
}

function different({ name, sha256 }: Investigation, { path }: TakenFile) {
  const what = sha256 === undefined ? 'has another size' : 'holds other bytes';
  return fail(
    'file-different',
    `${path} ${what} than the file of “${name}” had: choose that file, or use this one in its place.`,
  );
}
