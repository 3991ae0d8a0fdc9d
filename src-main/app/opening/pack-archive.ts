import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { plainName } from '../../archive/entry-name.ts';
import { writeArchive } from '../../archive/write-archive.ts';
import type { CallError } from '../../contract/contract.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { fileStem } from '../../shared/text/file-name.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { Services } from '../services/services.ts';
import { version } from '../services/version.ts';
import { openWhole } from './open-whole.ts';

export type PackError = Exclude<CallError<'archive.write'>, 'file-exists'>;

/** The bytes of a .stalltrace file, made as they are read. */
export interface PackedArchive {
  readonly stream: Readable;
  /** A name for the file, from the investigation's. */
  readonly fileName: string;
  /** The trace in it: not to be overwritten. */
  readonly tracePath: string;
}

/** Opens what a .stalltrace file of the entry `id` is made of. Aborting the signal ends the stream. */
export async function packArchive(
  services: Services,
  id: number,
  context: CallContext,
): Promise<Result<PackedArchive, PackError>> {
  const { signal } = context;
  const entry = await findEntry(services, id);
  if (!entry.ok) return entry;
  const { investigation, tracePath, notes, view, roles } = entry.value;
  const whole = await openWhole(services, tracePath, context);
  if (!whole.ok) return whole;
  const { name, tags, verdict } = investigation;
  const { handle: trace, sizeBytes: traceBytes, close } = whole.value;
  const contents = {
    creator: `Stalltrace ${version}`,
    name,
    tags,
    notes,
    roles,
    ...(verdict !== undefined && { verdict }),
    ...(view !== null && { view }),
    trace,
    traceBytes,
    traceName: basename(tracePath),
  };
  const packed = signal.aborted
    ? fail('cancelled', 'Cancelled.')
    : writeArchive(contents, (progress) => context.progress(progress));
  if (!packed.ok) {
    await close();
    return packed;
  }
  const stream = packed.value;
  stream.once('close', () => void close().catch(() => undefined));
  signal.addEventListener('abort', () => stream.destroy(), { once: true });
  return ok({ stream, fileName: archiveName(investigation), tracePath });
}

/** All that the library keeps of an entry, and its file if this host's user may read it. */
async function findEntry({ library, platform }: Services, id: number) {
  const found = await library.call('find', { id });
  if (!found.ok) return found;
  const { path, sample } = found.value;
  // Other hosts share the library; what they listed is no leave to read it here.
  const allowed = sample ? ok(path) : await allowedPath(platform, path);
  if (!allowed.ok) return allowed;
  const notes = await library.call('notes', { id });
  if (!notes.ok) return notes;
  const view = await library.call('view', { id });
  if (!view.ok) return view;
  const roles = await library.call('roles', { id });
  if (!roles.ok) return roles;
  return ok({
    investigation: found.value,
    tracePath: allowed.value,
    notes: notes.value,
    view: view.value,
    roles: roles.value,
  });
}

/** `run 7.db` → `run 7.stalltrace`. */
export function archiveName({ name }: Pick<Investigation, 'name'>): string {
  return plainName(`${fileStem(name)}.stalltrace`);
}
