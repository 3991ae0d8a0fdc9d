import { readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import { replaceFile } from '../../system/replace-file.ts';

/** More than anyone has; a file that grew beyond is not ours. */
const MAX_KEPT = 1000;

const sealedSecret = z.strictObject({
  kind: z.enum(['password', 'passphrase']),
  /** `user@host:port`, or the path of a key. */
  account: z.string().min(1).max(4096),
  /** By the system's safe storage, base64: of no use on another machine or to another user. */
  sealed: z.string().min(1).max(65_536),
  /** `user@address:port` of the hosts that were signed in to with it. */
  usedFor: z.array(z.string().max(512)).max(MAX_KEPT),
});
export type SealedSecret = z.infer<typeof sealedSecret>;

const secretsFile = z.strictObject({
  v: z.literal(1),
  secrets: z.array(sealedSecret).max(MAX_KEPT),
});

/** What is kept; nothing where the file is missing, or is not ours. */
export async function readSecrets(path: string): Promise<readonly SealedSecret[]> {
  try {
    const parsed = secretsFile.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data.secrets : [];
  } catch {
    return [];
  }
}

/** Throws where the folder can't be written. Without secrets there is no file. */
export async function writeSecrets(path: string, secrets: readonly SealedSecret[]): Promise<void> {
  if (secrets.length === 0) return rm(path, { force: true });
  const newest = secrets.slice(-MAX_KEPT);
  await replaceFile(path, `${JSON.stringify({ v: 1, secrets: newest }, null, 2)}\n`);
}
