import {
  type BesideFile,
  kindBeside,
  MAX_BESIDE_LENGTH,
  parseBeside,
} from '../../../src-main/shared/answers/beside-file.ts';
import type { Result } from '../../../src-main/shared/rpc/result.ts';

/** What goes beside a trace, in a file that the page was given; undefined of a file that does not claim to be that. */
export async function readBeside(
  file: File,
): Promise<Result<BesideFile, 'beside-damaged'> | undefined> {
  // A file that is gone is for the host to tell of.
  const text = await file
    .slice(0, MAX_BESIDE_LENGTH + 1)
    .text()
    .catch(() => '');
  return kindBeside(text) === undefined ? undefined : parseBeside(text, file.name);
}
