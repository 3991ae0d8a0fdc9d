import type { Download } from '../src-main/contract/api.ts';
import { REASON_HEADER, UNKNOWN_PAGE } from '../src-main/shared/browser-session.ts';
import { describeThrown, fail, ok, type Result } from '../src-main/shared/rpc/result.ts';
import type { PageSession } from './page-session.ts';

const NOT_SAVED = 'It could not be saved: try again.';

/**
 * Asks the browser host for the download at `path`, called `usualName` where the host has no name for it; one that
 * fails later says nothing but that it failed.
 */
export async function fetchDownload(
  session: PageSession,
  path: string,
  usualName: string,
): Promise<Result<Download, 'disconnected'>> {
  try {
    const answer = await fetch(path, { method: 'HEAD', headers: session.headers() });
    const reason = answer.headers.get(REASON_HEADER);
    if (reason !== null) return fail('disconnected', decodeURIComponent(reason));
    if (answer.status === 403) return fail('disconnected', UNKNOWN_PAGE);
    if (!answer.ok) return fail('disconnected', NOT_SAVED, `HTTP ${answer.status}`);
    const ticket = await session.ticket(`GET ${path}`);
    if (!ticket.ok) return ticket;
    const fileName = fileNameOf(answer) ?? usualName;
    return ok({ address: `${path}?ticket=${ticket.value}`, fileName });
  } catch (thrown) {
    return fail('disconnected', NOT_SAVED, describeThrown(thrown));
  }
}

/** The name that the host gives a download (RFC 6266). */
function fileNameOf({ headers }: Response): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(headers.get('content-disposition') ?? '')?.[1];
  return encoded && decodeURIComponent(encoded);
}
