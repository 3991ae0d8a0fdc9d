import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CANDIDATES = [
  '../../resources/sample/dataloader-starvation.trace.db',
  '../../../shared/data/ingero/dataloader_starvation.db',
].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** Copies a real trace to `folder` under `name`, as a user's own file; the sample where it was made. */
export async function copyTrace(folder: string, name: string): Promise<string> {
  const source = CANDIDATES.find((path) => existsSync(path));
  if (source === undefined) throw new Error('no trace to test with: run "npm run build"');
  const path = join(folder, name);
  await copyFile(source, path);
  return path;
}
