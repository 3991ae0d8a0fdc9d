import { open, realpath } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';

/** Only what the build emits; anything else would be a file that got there by mistake. */
const mimeTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

export interface StaticFile {
  readonly mimeType: string;
  readonly byteLength: number;
  readonly body: ReadableStream<Uint8Array>;
}

/** The file that the percent-encoded `pathname` of a URL names inside `root`, or `undefined`. */
export async function openStaticFile(
  root: string,
  pathname: string,
): Promise<StaticFile | undefined> {
  const path = pathInside(root, pathname);
  const mimeType = path === undefined ? undefined : mimeTypes[extname(path)];
  if (path === undefined || mimeType === undefined) return undefined;
  try {
    // A symlink in the folder would lead out of it without any "..".
    if (
      (await realpath(path)) !== resolve(await realpath(root), path.slice(resolve(root).length + 1))
    )
      return undefined;
    const file = await open(path);
    const status = await file.stat();
    if (!status.isFile()) {
      await file.close();
      return undefined;
    }
    const body = Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>;
    return { mimeType, byteLength: status.size, body };
  } catch {
    return undefined;
  }
}

/** Refuses rather than repairs: a name with "..", a backslash, a NUL or a drive is never one of ours. */
function pathInside(root: string, pathname: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  const segments = decoded.split('/').slice(1);
  const safe = segments.every((segment) => /^[\w.-]+$/.test(segment) && !/^\.+$/.test(segment));
  if (!safe || segments.length === 0) return undefined;
  const path = resolve(root, ...segments);
  return path.startsWith(resolve(root) + sep) ? path : undefined;
}
