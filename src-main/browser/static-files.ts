import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};

/** The file under `root` that `pathname` (percent-encoded, from a URL) names, or `undefined`. */
function staticFile(root: string, pathname: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  if (decoded.includes('\0') || decoded.includes('\\')) return undefined;
  const path = join(root, decoded === '/' ? 'index.html' : decoded);
  return path.startsWith(root + sep) ? path : undefined;
}

/** Answers with a file of the renderer's build, or 404. */
export async function sendStaticFile(
  response: ServerResponse,
  root: string,
  pathname: string,
): Promise<void> {
  const path = staticFile(root, pathname);
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || found === undefined || !found.isFile()) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
    return;
  }
  response.writeHead(200, {
    'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    'content-length': found.size,
    // Vite names assets by their hash; the page itself must be asked for each time.
    'cache-control': pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
  });
  createReadStream(path)
    .on('error', () => response.destroy())
    .pipe(response);
}
