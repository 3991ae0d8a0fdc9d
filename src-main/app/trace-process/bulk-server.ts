import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { encodePacked } from '../../shared/rpc/packed.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { parseTilesQuery, type TilesWanted } from '../../shared/rpc/tiles-query.ts';
import { createServer, request } from '../../system/node-http.ts';

/**
 * Bulk leaves a trace process as HTTP bodies over a local socket (a Unix socket in a 0700 folder, a
 * named pipe on Windows): message ports copy it twice and know no back-pressure.
 */

const WRITE_BYTES = 1 << 20;
const PERFETTO = '/perfetto';
const TILES = '/tiles';

/** What is asked for in bulk. */
export interface BulkSource {
  /** Tiles of the timeline, as `encodePacked` takes them. */
  readonly tiles: (wanted: TilesWanted) => Promise<unknown>;
  /** The timeline as a trace of Perfetto, in pieces. */
  readonly perfetto: (options: PerfettoOptions) => AsyncIterable<Uint8Array>;
}

export interface PerfettoOptions {
  readonly hidePrivate: boolean;
}

/** How much a bulk server has to do. */
export interface BulkUse {
  /** For how long it has sent nothing, ms: 0 while it does. */
  idleMs(): number;
}

/** Serves tiles at `/tiles?filter=…&runs=…`, and `/perfetto`, on the local socket `path`. */
export async function serveBulk(path: string, source: BulkSource): Promise<BulkUse> {
  let sending = 0;
  let restsSince = performance.now();
  const server = createServer((incoming, response) => {
    sending++;
    response.once('close', () => {
      sending--;
      restsSince = performance.now();
    });
    void answer(source, incoming, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  // The process lives as long as its parent wants it to, not as long as its socket.
  server.unref();
  return { idleMs: () => (sending > 0 ? 0 : performance.now() - restsSince) };
}

async function answer(
  source: BulkSource,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://local');
  if (url.pathname === PERFETTO) {
    const hidePrivate = url.searchParams.get('private') !== 'shown';
    send(response, source.perfetto({ hidePrivate }));
    return;
  }
  const wanted = url.pathname === TILES ? parseTilesQuery(url.search) : undefined;
  if (wanted === undefined) {
    response.writeHead(404).end();
    return;
  }
  let body: Uint8Array;
  try {
    body = encodePacked(await source.tiles(wanted));
  } catch (bug) {
    console.error('bug while making tiles:', bug);
    response.writeHead(500).end();
    return;
  }
  response.setHeader('content-length', body.length);
  send(response, slices(body));
}

function send(
  response: ServerResponse,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): void {
  response.writeHead(200);
  const body = Readable.from(pieces, { objectMode: true });
  response.on('close', () => body.destroy());
  // Whoever reads it learns by the missing end that it is not whole.
  body.on('error', (bug) => {
    console.error('bug while sending in bulk:', bug);
    response.destroy();
  });
  body.pipe(response);
}

/** Cuts what is written at once, so that back-pressure works within it. */
function* slices(body: Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < body.length; offset += WRITE_BYTES)
    yield body.subarray(offset, offset + WRITE_BYTES);
}

export interface TilesBody {
  readonly stream: Readable;
  readonly byteLength: number;
}

/**
 * Fetches tiles from the process that serves them at the local socket `path`, by a query as `tilesQuery` writes it.
 * Aborting `signal` ends the connection, whether or not that process has answered.
 */
export async function fetchTiles(
  path: string,
  query: string,
  signal?: AbortSignal,
): Promise<Result<TilesBody, 'not-found' | 'process-lost'>> {
  const response = await fetchBulk(path, `${TILES}?${query}`, signal);
  if (!response.ok) return response;
  const { value: stream } = response;
  if (stream.statusCode === 200)
    return ok({ stream, byteLength: Number(stream.headers['content-length']) });
  stream.resume();
  return fail('not-found', 'There are no such tiles.');
}

/** Fetches the timeline as a trace of Perfetto; see fetchTiles. */
export function fetchPerfetto(
  path: string,
  { hidePrivate }: PerfettoOptions,
  signal?: AbortSignal,
): Promise<Result<Readable, 'process-lost'>> {
  return fetchBulk(path, `${PERFETTO}?private=${hidePrivate ? 'hidden' : 'shown'}`, signal);
}

function fetchBulk(
  socketPath: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Result<IncomingMessage, 'process-lost'>> {
  return new Promise((resolve) => {
    // A connection of its own: one kept alive may be closed by the other end as it is taken again.
    const options = { socketPath, path, agent: false, ...(signal !== undefined && { signal }) };
    const outgoing = request(options, (response) => resolve(ok(response)));
    outgoing.on('error', (error: Error) =>
      resolve(
        fail('process-lost', 'The process of this trace has ended: open it again.', error.message),
      ),
    );
    outgoing.end();
  });
}
