import { kindOfFile } from '../opening/kind-of-file.ts';
import { hasLog } from '../opening/sidecars.ts';
import type { Services } from '../services/services.ts';

/**
 * What becomes of an added file. `reference`: it stays where it is. `copy`: the library keeps a copy.
 * `live`: likewise, and a log beside it holds part of its data, so that its bytes are not the copy's.
 * `packed`: likewise, and it is compressed: the copy is what is in it.
 */
export type Intake = 'reference' | 'copy' | 'live' | 'packed';

/** Captures, files that are written to and what is in compressed ones are copied; others where the user or the settings say so. */
export async function intakeOf(
  { files, library, sampleFile }: Services,
  path: string,
  copy: boolean | undefined,
): Promise<Intake> {
  if (path === sampleFile || (await files.owns(path))) return 'reference';
  const kind = await kindOfFile(path);
  if (kind === 'packed') return 'packed';
  if (await hasLog(path)) return 'live';
  if (copy === true || kind === 'capture') return 'copy';
  if (copy === false) return 'reference';
  const settings = await library.call('settings', {});
  return settings.ok && settings.value.copyImported === 'always' ? 'copy' : 'reference';
}
