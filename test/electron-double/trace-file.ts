import { join } from 'node:path';
import { writeTrace } from '../support/trace-bytes.ts';

/** Writes a trace to `folder` under `name`, as a user's own file: not the sample, which is known. */
export async function copyTrace(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  writeTrace(path, 'user');
  return path;
}
