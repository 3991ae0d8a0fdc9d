import { basename } from 'node:path';
import type { CallArguments, CallError } from '../../contract/contract.ts';
import type { MergedInvestigation } from '../../shared/contract/library-calls.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { MergedFile } from '../../trace/merge-files.ts';
import type { Part } from '../file-store/file-store.ts';
import { receiveFailure } from '../file-store/receive-stream.ts';
import { kindOfFile } from '../opening/kind-of-file.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import { typedPath } from '../paths/typed-path.ts';
import type { Services } from '../services/services.ts';
import { findFile } from './find-file.ts';
import { listTaken } from './list-taken.ts';
import { takePart } from './take-file.ts';

type MergeError = CallError<'library.merge'>;

/**
 * Makes one trace of several, which the library keeps and lists; what it was made of stays as it is. With
 * `leavesOut`, without those that are no trace.
 */
export async function mergeIntoLibrary(
  services: Services,
  { sources, leavesOut = false }: CallArguments<'library.merge'>,
  context: CallContext,
): Promise<Result<MergedInvestigation, MergeError>> {
  const files: MergedFile[] = [];
  for (const source of sources) {
    const file = await fileOf(services, source, context);
    if (!file.ok) return file;
    if (files.some(({ path }) => path === file.value.path))
      return fail('named-twice', `“${file.value.name}” is named twice: name each file once.`);
    files.push(file.value);
  }
  let part: Part | undefined;
  try {
    part = await services.files.newPart('merged.db');
    const copied = await services.copier.merge(files, part.path, leavesOut, context);
    if (!copied.ok) return copied;
    const { merged, leftOut, cutOff, ...copy } = copied.value;
    const taken = await takePart(services, { part, ...copy });
    const name = nameOf(merged.map((at) => files[at]?.name ?? ''));
    const added = await listTaken(services, taken, context, { as: { name } });
    return added.ok ? ok({ ...added.value, sources: merged, leftOut, cutOff }) : added;
  } catch (thrown) {
    return receiveFailure(thrown);
  } finally {
    if (part !== undefined) await services.files.discard(part);
  }
}

/** A trace file: an entry's, or one at a path. */
async function fileOf(
  services: Services,
  source: number | string,
  context: CallContext,
): Promise<Result<MergedFile, MergeError>> {
  const { library, platform } = services;
  const found = typeof source === 'number' ? await library.call('find', { id: source }) : undefined;
  if (found?.ok === false) return found;
  const path = found?.value.path ?? typedPath(platform, String(source)).path;
  const name = found?.value.name ?? cleanText(basename(path), 200);
  const allowed = found?.value.sample === true ? ok(path) : await allowedPath(platform, path);
  if (!allowed.ok) return allowed;
  const kind = await kindOfFile(allowed.value);
  if (kind === 'archive')
    return fail(
      'file-unsupported',
      `“${name}” is a .stalltrace file: import it first, then choose the trace in it from the library.`,
    );
  // A capture of ours is in the library; a packed file would be unpacked only to see that.
  const entry =
    found === undefined && kind !== 'packed'
      ? await findFile(services, allowed.value, context)
      : found;
  const clock = entry?.ok === true ? entry.value?.origin?.clock : undefined;
  return ok({ path: allowed.value, name, ...(clock !== undefined && { clock }) });
}

/** `rank0.json + rank1.json`; of many the first, and how many more. */
function nameOf(names: readonly string[]): string {
  const [first = '', second = '', ...more] = names;
  const told = more.length === 0 ? `${first} + ${second}` : `${first} + ${names.length - 1} more`;
  return cleanText(told, 200);
}
