import type { AddOptions, Api, DesktopBridge } from '../src-main/contract/api.ts';
import type { CallName, Calls } from '../src-main/contract/contract.ts';
import { UNKNOWN_PAGE } from '../src-main/shared/browser-session.ts';
import { dataError } from '../src-main/shared/rpc/data-path.ts';
import { decodePacked } from '../src-main/shared/rpc/packed.ts';
import { perfettoPath } from '../src-main/shared/rpc/perfetto-path.ts';
import { describeThrown, fail, ok } from '../src-main/shared/rpc/result.ts';
import {
  type CallOptions,
  createRpcClient,
  type FramePipe,
  type RpcClient,
} from '../src-main/shared/rpc/rpc.ts';
import { tilesQuery } from '../src-main/shared/rpc/tiles-query.ts';
import type { TileAnswer } from '../src-main/timeline/tiles/tile-answers.ts';
import { fetchDownload } from './fetch-download.ts';
import type { PageSession } from './page-session.ts';
import { uploadFile } from './upload.ts';

/** The Api over a pipe that can be replaced after it was lost. */
export interface HostApi extends Api {
  attach(pipe: FramePipe): void;
}

/** How the page reaches its host: the desktop's bridge, or the secret of a browser's page. */
export type HostAccess =
  | { readonly kind: 'desktop'; readonly bridge: DesktopBridge }
  | { readonly kind: 'browser'; readonly session: PageSession };

export function createApi(access: HostAccess): HostApi {
  let client: RpcClient<Calls> | undefined;
  const listeners = new Map<string, Set<(payload: unknown) => void>>();

  function subscribe(event: string): void {
    client?.on(event, (payload) => {
      for (const listener of listeners.get(event) ?? []) listener(payload);
    });
  }

  async function call(name: CallName, args: never, options?: CallOptions) {
    return client === undefined
      ? fail('disconnected', 'Stalltrace is not connected yet: try again in a moment.')
      : client.call(name, args, options);
  }

  function on(event: string, listener: (payload: never) => void): () => void {
    const known = listeners.get(event);
    const set = known ?? new Set();
    listeners.set(event, set.add(listener as (payload: unknown) => void));
    if (known === undefined) subscribe(event);
    return () => set.delete(listener as (payload: unknown) => void);
  }

  return {
    attach(pipe) {
      client = createRpcClient<Calls>(pipe);
      for (const event of listeners.keys()) subscribe(event);
    },
    call: call as Api['call'],
    on: on as Api['on'],
    fetchTiles: tileFetcher(access),
    addFile(file, options = {}) {
      if (access.kind === 'browser') return uploadFile(access.session, file, options);
      const path = access.bridge.pathForFile(file);
      return path === ''
        ? Promise.resolve(fail('file-unreadable', `${file.name} is not a file on this machine.`))
        : (call as Api['call'])('library.add', { path, ...copyOf(options) }, options);
    },
    downloadArchive: (id) => downloadOf(access, `/archive/${id}`, `${id}.stalltrace`),
    downloadPerfetto: ({ name, ...wanted }) => downloadOf(access, perfettoPath(wanted), name),
  };
}

/** An argument that is not given must be absent. */
const copyOf = ({ copy }: AddOptions) => (copy === undefined ? {} : { copy });

async function downloadOf(access: HostAccess, path: string, usualName: string) {
  if (access.kind === 'browser') return fetchDownload(access.session, path, usualName);
  return fail('disconnected', 'The desktop saves files by itself.');
}

const REFUSED = {
  'not-open': 'This trace is no longer open: open it again.',
  'process-lost': 'The process that read this trace has ended: open the trace again.',
} as const;
const NOT_READ = 'The events of this trace could not be read: open it again.';

/** Tiles as one binary body, fetched from the page's own origin on both hosts. */
function tileFetcher(access: HostAccess): Api['fetchTiles'] {
  return async (traceId, wanted, signal) => {
    const path = `/data/${encodeURIComponent(traceId)}/tiles`;
    try {
      const response = await fetch(`${path}?${tilesQuery(wanted)}`, {
        signal: signal ?? null,
        headers: access.kind === 'browser' ? access.session.headers() : {},
      });
      const refused = dataError(response.status);
      if (refused !== undefined) return fail(refused, REFUSED[refused]);
      if (response.status === 403) return fail('disconnected', UNKNOWN_PAGE);
      if (!response.ok) return fail('disconnected', NOT_READ, `HTTP ${response.status}`);
      return ok(decodePacked(await response.arrayBuffer()) as TileAnswer);
    } catch (thrown) {
      if (signal?.aborted) return fail('cancelled', 'Cancelled.');
      return fail('disconnected', NOT_READ, describeThrown(thrown));
    }
  };
}
