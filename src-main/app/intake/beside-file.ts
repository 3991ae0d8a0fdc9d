import { basename } from 'node:path';
import type { CallError } from '../../contract/contract.ts';
import {
  type BesideFile,
  MAX_BESIDE_LENGTH,
  parseBeside,
} from '../../shared/answers/beside-file.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { readHead } from '../../system/read-head.ts';
import { kindOfFile } from '../opening/kind-of-file.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import { typedPath } from '../paths/typed-path.ts';
import type { Services } from '../services/services.ts';

/** Reads what goes beside a trace, at a path that a user typed or chose; null of a file that says it is something else. */
export async function readBesideFile(
  { platform }: Services,
  path: string,
): Promise<Result<BesideFile | null, CallError<'report.beside'>>> {
  const allowed = await allowedPath(platform, typedPath(platform, path).path);
  if (!allowed.ok) return allowed;
  const kind = await kindOfFile(allowed.value);
  if (kind !== 'benchmark' && kind !== 'traceml') return ok(null);
  const fileName = basename(allowed.value);
  try {
    // One byte more than the longest has shows that it is none.
    const head = await readHead(allowed.value, MAX_BESIDE_LENGTH + 1);
    return parseBeside(head?.bytes.toString('utf8') ?? '', fileName);
  } catch (thrown) {
    const message = `“${cleanText(fileName, 200)}” could not be read: check that it is still there.`;
    return fail('file-unreadable', message, describeThrown(thrown));
  }
}
