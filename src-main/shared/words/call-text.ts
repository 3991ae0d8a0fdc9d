import type { CallExplanation } from '../answers/explanation.ts';
import { formatBytes } from '../text/units.ts';
import { onHost } from './on-host.ts';

/** What the panel and the Markdown say alike of one call. The model writes -1 for what is not known. */

type Call = CallExplanation['call'];

const NOT_KNOWN = 'not known';

/** Only a copy has a direction, and memory on the host. */
export function isCopy({ direction }: Pick<Call, 'direction'>): boolean {
  return direction !== 'none';
}

/** `python · pid 7 · tid 9`, of several hosts `pid 7 on node2`, with its name shown by `showName` and its parts told apart by `separator`. */
export function threadText(
  { threadName, pid, tid, host }: Pick<Call, 'threadName' | 'pid' | 'tid' | 'host'>,
  separator = ' · ',
  showName: (name: string) => string = String,
  showHost: (host: string) => string = String,
): string {
  const idOf = (id: number) => (id < 0 ? NOT_KNOWN : id);
  if (threadName === '' && pid < 0 && tid < 0) return NOT_KNOWN;
  const where = onHost({ host: host && showHost(host) });
  return [showName(threadName || NOT_KNOWN), `pid ${idOf(pid)}${where}`, `tid ${idOf(tid)}`].join(
    separator,
  );
}

/** `400.0 MiB`; a source that does not know the size writes -1. */
export function sizeText({ bytes }: Pick<Call, 'bytes'>): string {
  return bytes < 0 ? NOT_KNOWN : formatBytes(bytes);
}

/** `undefined` for a call that succeeded, of which there is nothing to say. */
export function returnCodeText(call: Pick<Call, 'returnCode'>): string | undefined {
  if (call.returnCode === 0) return undefined;
  return hasFailed(call) ? `${call.returnCode} (failed)` : NOT_KNOWN;
}

/** CUDA's return codes are 0 for success and above 0 for errors; below, the code is not known. */
export function hasFailed({ returnCode }: Pick<Call, 'returnCode'>): boolean {
  return returnCode !== undefined && returnCode > 0;
}

/** Beside a call that no finding bears on. */
export const NO_FIX =
  'No finding of this trace explains this call, so there is no fix to offer for it.';

/** The same of a stretch of time. */
export const NO_STRETCH_FIX =
  'No finding is known to have happened here, so there is no fix to offer for it.';
