import { basename } from 'node:path';
import type { Calls } from '../../contract/contract.ts';
import type { PictureFlag, PictureRequest } from '../../shared/answers/report.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { Handlers } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';

const MAX_FLAG_TEXT = 1_000;

/** What the library knows of an investigation; a picture needs none of it. */
async function fromLibrary(
  { library }: Services,
  id: number | undefined,
  path: string,
): Promise<Result<{ name: string; notes: PictureFlag[] }, 'not-found'>> {
  if (id === undefined) return ok({ name: basename(path), notes: [] });
  const [found, notes] = await Promise.all([
    library.call('find', { id }),
    library.call('notes', { id }),
  ]);
  if (!found.ok && found.error.code === 'not-found')
    return { ok: false, error: { ...found.error, code: 'not-found' } };
  const flags = (notes.ok ? notes.value : []).map(({ startNs, endNs, text, slot, kind }) => ({
    startNs,
    endNs,
    text: flagText(text, kind, slot),
  }));
  return ok({ name: found.ok ? found.value.name : basename(path), notes: flags });
}

/** The first line of a note; a bookmark without words is named by its digit. */
function flagText(text: string, kind: 'note' | 'bookmark', slot: number | undefined): string {
  const line = text.trim().split('\n')[0] ?? '';
  const mark = slot === undefined ? '' : `${slot} `;
  return `${mark}${line === '' && kind === 'bookmark' ? 'Bookmark' : line}`.slice(0, MAX_FLAG_TEXT);
}

/** Pictures of the timeline, drawn where the columns are. */
export function pictureHandlers(services: Services): Pick<Handlers<Calls>, 'report.picture'> {
  const { traces } = services;
  return {
    'report.picture': ({ traceId, investigation, ...request }: PictureRequest, context) =>
      askTrace(traces, traceId, context, async ({ client, path }) => {
        const known = await fromLibrary(services, investigation, path);
        if (!known.ok) return known;
        return client.call('report.drawing', { ...request, ...known.value });
      }),
  };
}
