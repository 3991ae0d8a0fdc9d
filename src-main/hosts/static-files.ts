import { constants, type Stats } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
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
  /** Not opened before it is read. */
  readonly body: () => Readable;
}

/** The file that the percent-encoded `pathname` of a URL names inside `root`, or `undefined`. */
export async function openStaticFile(
  root: string,
  pathname: string,
): Promise<StaticFile | undefined> {
  const segments = plainSegments(pathname);
  const mimeType = mimeTypes[extname(pathname)];
  if (segments === undefined || mimeType === undefined) return undefined;
  try {
    // Resolved, because a symlink leads out of a folder without any "..".
    const [folder, path] = await Promise.all([realpath(root), realpath(join(root, ...segments))]);
    const status = await lstat(path);
    if (!path.startsWith(folder + sep) || !status.isFile()) return undefined;
    return { mimeType, byteLength: status.size, body: () => streamOf(path, status) };
  } catch {
    return undefined;
  }
}

/** The bytes of the file that was looked at: of another that took its place meanwhile there are none. */
function streamOf(path: string, seen: Stats): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { dev, ino } = await file.stat();
      if (dev !== seen.dev || ino !== seen.ino) throw new Error('the file was replaced');
      yield* file.createReadStream({ autoClose: false });
    } finally {
      await file.close();
    }
  }
  return Readable.from(bytes(), { objectMode: false });
}

/** Refuses rather than repairs: a name with "..", a backslash, a NUL or a drive is never one of ours. */
function plainSegments(pathname: string): string[] | undefined {
  try {
    const segments = decodeURIComponent(pathname).split('/').slice(1);
    const plain = segments.every((segment) => /^[\w.-]+$/.test(segment) && !/^\.+$/.test(segment));
    return plain ? segments : undefined;
  } catch {
    return undefined;
  }
}
