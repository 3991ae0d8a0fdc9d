import { z } from 'zod';
import { investigationName, tagsSchema, verdictSchema } from '../shared/library/investigation.ts';
import { setRoles } from '../shared/library/set-role.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import { cleanText } from '../shared/text/text.ts';
import { parseJson } from './parse-json.ts';

export const ARCHIVE_FORMAT = 'stalltrace-archive';
export const ARCHIVE_VERSION = 1;

export const MANIFEST_FILE = 'manifest.json';
export const NOTES_FILE = 'notes.json';
export const VIEW_FILE = 'view.json';
export const TRACE_FOLDER = 'trace/';

/** Readable in every version to come. */
const anyVersion = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.number().int().positive(),
  creator: z.string().max(200).optional(),
});

const archivedFile = z.object({
  name: z.string().min(1).max(300),
  sizeBytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ArchivedFile = z.infer<typeof archivedFile>;

/** Fields that a later program adds without a new version are passed over. */
const manifestSchema = z.object({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.literal(ARCHIVE_VERSION),
  creator: z.string().max(200),
  createdAt: z.iso.datetime(),
  investigation: z.object({
    name: investigationName,
    tags: tagsSchema,
    verdict: verdictSchema.optional(),
    /** What the sender said the processes are; words of a later program are passed over. */
    roles: setRoles.optional().catch(undefined),
  }),
  files: z.array(archivedFile).min(1).max(16),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** The manifest in the bytes of manifest.json; `shown` names the archive in messages. */
export function parseManifest(
  bytes: Uint8Array,
  shown: string,
): Result<Manifest, 'archive-damaged' | 'archive-too-new'> {
  const json = parseJson(bytes);
  const known = anyVersion.safeParse(json);
  if (!known.success) {
    const message = `“${shown}” does not say that it was written by Stalltrace: ask its sender for the .stalltrace file again.`;
    return fail('archive-damaged', message, known.error.message);
  }
  const { version, creator } = known.data;
  if (version > ARCHIVE_VERSION) {
    const by = creator === undefined ? 'a newer Stalltrace' : cleanText(creator, 60);
    const message = `“${shown}” was written by ${by} in version ${version} of the format, this program reads up to ${ARCHIVE_VERSION}: update Stalltrace.`;
    return fail('archive-too-new', message);
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return ok(parsed.data);
  const message = `The list of contents of “${shown}” is damaged: ask its sender for the file again.`;
  return fail('archive-damaged', message, z.prettifyError(parsed.error));
}
