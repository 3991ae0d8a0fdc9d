import { openForReading } from '../../archive/is-archive.ts';
import { APPLICATION_ID } from '../../trace/formats/stalltrace/schema.ts';
import { hasLog } from '../opening/sidecars.ts';
import type { Services } from '../services/services.ts';

/**
 * What becomes of an added file. `reference`: it stays where it is. `copy`: the library keeps a copy.
 * `live`: likewise, and a log beside it holds part of its data, so that its bytes are not the copy's.
 */
export type Intake = 'reference' | 'copy' | 'live';

/** Offset of the application id in a SQLite file, https://www.sqlite.org/fileformat.html §1.3. */
const APPLICATION_ID_OFFSET = 68;

/** Captures and files that are written to are copied; others where the user or the settings say so. */
export async function intakeOf(
  { files, library, sampleFile }: Services,
  path: string,
  copy: boolean | undefined,
): Promise<Intake> {
  if (path === sampleFile || (await files.owns(path))) return 'reference';
  if (await hasLog(path)) return 'live';
  if (copy === true || (await isCapture(path))) return 'copy';
  if (copy === false) return 'reference';
  const settings = await library.call('settings', {});
  return settings.ok && settings.value.copyImported === 'always' ? 'copy' : 'reference';
}

/** Whether the file says that Stalltrace wrote it. Nothing else about it is believed here. */
async function isCapture(path: string): Promise<boolean> {
  const file = await openForReading(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    if (!(await file.stat()).isFile()) return false;
    const id = Buffer.alloc(4);
    const { bytesRead } = await file.read(id, 0, 4, APPLICATION_ID_OFFSET);
    return bytesRead === 4 && id.readUInt32BE(0) === APPLICATION_ID;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
