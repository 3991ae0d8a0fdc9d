import {
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, posix, resolve, sep, win32 } from 'node:path';
import { text } from 'node:stream/consumers';
import type { App } from '../../src-main/app/app.ts';
import { safeName } from '../../src-main/app/file-store/safe-name.ts';
import { allowedPath } from '../../src-main/app/paths/allowed-path.ts';
import { limitToFolders } from '../../src-main/app/paths/open-folders.ts';
import { typedPath } from '../../src-main/app/paths/typed-path.ts';
import { launchOf } from '../../src-main/app/services/launch.ts';
import { fakePlatform } from '../../src-main/app/testing/fake-platform.ts';
import { isEntryName, plainName } from '../../src-main/archive/entry-name.ts';
import { createHttpServer, type HttpServerOptions } from '../../src-main/browser/http-server.ts';
import { createAppRequestHandler } from '../../src-main/desktop/app-requests.ts';
import { openStaticFile } from '../../src-main/hosts/static-files.ts';
import { parseLink } from '../../src-main/shared/library/link.ts';
import { traceOfDataPath } from '../../src-main/shared/rpc/data-path.ts';
import { fail } from '../../src-main/shared/rpc/result.ts';
import { fileNameFor, fileStem } from '../../src-main/shared/text/file-name.ts';

/** What a door made of a path: nothing, something of what is allowed, or what broke the promise. */
export type Outcome = 'refused' | 'inside' | `BROKEN: ${string}`;

/** Something that takes a path, or makes a file's name, from somebody's text. */
interface PathDoor {
  readonly name: string;
  attempt(path: string): Promise<Outcome> | Outcome;
}

export interface PathDoors {
  readonly doors: readonly PathDoor[];
  /** Names of what is there, for paths that lead somewhere. */
  readonly names: readonly string[];
  close(): void;
}

const INSIDE = 'inside';

/** A folder with files to be had, more of them beside it, links of all kinds, and every door to it. */
export async function openPathDoors(): Promise<PathDoors> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stalltrace-paths-')));
  const root = join(folder, 'served');
  makeTree(folder, root);
  const { server } = createHttpServer(serverOptions(root));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    doors: [
      { name: 'static files', attempt: (path) => ofStaticFile(root, rooted(path)) },
      { name: 'requests of the browser', attempt: (path) => ofRequest(port, rooted(path)) },
      {
        name: 'app:// requests of the desktop',
        attempt: (path) => ofAppRequest(root, rooted(path)),
      },
      await openByPath(folder, root),
      { name: 'names of entries of an archive', attempt: ofEntryName },
      { name: 'names of files that are made', attempt: ofMadeName },
      { name: 'links', attempt: ofLink },
      { name: 'addresses of tables', attempt: ofDataPath },
    ],
    names: [
      'index.html',
      'folder',
      'a.js',
      'outside.js',
      'served',
      'out.js',
      'loop.js',
      'nowhere.js',
      'up',
    ],
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As it stands in an address. */
const rooted = (path: string) => (path.startsWith('/') ? path : `/${path}`);

function makeTree(folder: string, root: string): void {
  mkdirSync(join(root, 'folder'), { recursive: true });
  for (const name of ['index.html', 'a.js', 'folder/a.js']) writeFileSync(join(root, name), INSIDE);
  for (const name of ['outside.js', 'servedx.js']) writeFileSync(join(folder, name), 'outside');
  mkdirSync(join(folder, 'served-too'));
  writeFileSync(join(folder, 'served-too', 'a.js'), 'outside');
  symlinkSync('../outside.js', join(root, 'out.js'));
  symlinkSync('chain-2.js', join(root, 'chain.js'));
  symlinkSync(join(root, 'out.js'), join(root, 'chain-2.js'));
  symlinkSync('loop.js', join(root, 'loop.js'));
  symlinkSync('..', join(root, 'up'));
  symlinkSync('a.js', join(root, 'within.js'));
  symlinkSync('../not-there.js', join(root, 'nowhere.js'));
}

/** The guard is another test's: here everybody is let in. */
function serverOptions(rendererRoot: string): HttpServerOptions {
  const guard = new Proxy({}, { get: () => () => undefined });
  const nothing = async () => fail('not-found', 'Not found.');
  const app = { openTiles: nothing, openArchive: nothing } as unknown as App;
  return { app, guard: guard as HttpServerOptions['guard'], rendererRoot };
}

const served = (body: string): Outcome =>
  body === INSIDE ? 'inside' : `BROKEN: served ${JSON.stringify(body.slice(0, 80))}`;

async function ofStaticFile(root: string, path: string): Promise<Outcome> {
  const file = await openStaticFile(root, path);
  return file === undefined ? 'refused' : served(await text(file.body()));
}

async function ofAppRequest(root: string, path: string): Promise<Outcome> {
  const url = `app://stalltrace${path}`;
  // Chromium hands over nothing else.
  if (!URL.canParse(url)) return 'refused';
  const nothing: App['openTiles'] = async () => fail('not-open', 'Not open.');
  const response = await createAppRequestHandler(root, nothing)(new Request(url));
  return response.status === 200 ? served(await response.text()) : 'refused';
}

/** As bytes on a socket: a client library would mend the path first. */
function ofRequest(port: number, path: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (part) => {
      answer += part;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(judgeAnswer(answer)));
    socket.end(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
  });
}

function judgeAnswer(answer: string): Outcome {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 400);
  if (status >= 500) return `BROKEN: status ${status}`;
  return status === 200 ? served(body) : 'refused';
}

/** `library.add`, `trace.openFile` and all the others that take a path of the page. */
async function openByPath(folder: string, root: string): Promise<PathDoor> {
  const limits = await limitToFolders({ files: [], folders: [root], ownFolders: [] });
  const platform = { ...fakePlatform().platform, ...limits, startFolder: root };
  return {
    name: 'files opened by path',
    async attempt(path) {
      const allowed = await allowedPath(platform, typedPath(platform, path).path);
      if (!allowed.ok) {
        const isSentence = /^[^\n]+\.$/u.test(allowed.error.message);
        return isSentence
          ? 'refused'
          : `BROKEN: no sentence: ${allowed.error.message.slice(0, 90)}`;
      }
      const place = nearest(allowed.value);
      const target = nearestOfLink(allowed.value);
      const isInside = [place, target].every((at) => at === root || at.startsWith(root + sep));
      return isInside && !allowed.value.includes('/../')
        ? 'inside'
        : `BROKEN: let ${JSON.stringify(allowed.value.replace(folder, '…').slice(0, 90))} through`;
    },
  };
}

/** Where what exists of a path really is; what is longer than any path is nowhere. */
function nearest(path: string): string {
  for (let place = path.slice(0, 4_096); ; place = dirname(place)) {
    try {
      return realpathSync.native(place);
    } catch {}
  }
}

/** Where a link leads whose target is not there. */
function nearestOfLink(path: string): string {
  try {
    return nearest(resolve(dirname(path), readlinkSync(path)));
  } catch {
    return nearest(path);
  }
}

function ofEntryName(path: string): Outcome {
  const names = [path, `trace/${path}`].filter(isEntryName);
  for (const name of names) {
    const places = [posix.normalize(name), win32.normalize(name).replaceAll('\\', '/')];
    if (places.some((place) => place !== name)) return `BROKEN: ${name} is another place`;
  }
  return names.length === 0 ? 'refused' : 'inside';
}

const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;
const NEVER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
  /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u202a-\u202e\u2066-\u2069\u200b-\u200f\ud800-\udfff]/u;

/** What is wrong with a file's name on any system, or that it holds. */
function judgeName(name: string): Outcome {
  const why = [
    name === '' && 'empty',
    /^\.{1,2}$/.test(name) && 'a folder',
    NEVER.test(name) && 'characters',
    RESERVED.test(name) && 'a device',
    /[. ]$/.test(name) && 'its end',
    // SQLite appends `-journal`, a copy that is made `.part`.
    Buffer.byteLength(name) + 9 > 255 && 'its length',
    [posix, win32].some(({ basename }) => basename(name) !== name) && 'a path',
  ].find((problem) => problem !== false);
  return why === undefined ? 'inside' : `BROKEN: ${why}: ${JSON.stringify(name.slice(0, 90))}`;
}

export function ofMadeName(path: string): Outcome {
  const names = [
    safeName(path),
    fileStem(path),
    `${fileStem(path)}.stalltrace`,
    fileNameFor(path, 'report.md', false),
    safeName(plainName(path)),
  ];
  return names.map(judgeName).find((outcome) => outcome !== 'inside') ?? 'inside';
}

function ofLink(path: string): Outcome {
  const links = [path, `stalltrace:${path}`, `stalltrace://x/#${path}`];
  for (const link of links) {
    const launch = launchOf(link);
    const hash = launch.kind === 'link' ? launch.hash : `#investigation=${path}`;
    const parsed = parseLink(hash);
    if (parsed.kind !== 'link') continue;
    if (!Number.isSafeInteger(parsed.link.investigation)) return `BROKEN: ${hash.slice(0, 90)}`;
  }
  return 'refused';
}

function ofDataPath(path: string): Outcome {
  for (const asked of [path, `/data/3f8e0a34-4b0a-4f6e-9a53-0d8f3c1f9a11/${path}`]) {
    const traceId = traceOfDataPath(asked);
    if (traceId === undefined) continue;
    return asked === `/data/${traceId}/tiles` && !/[^0-9a-f-]/.test(traceId)
      ? 'inside'
      : `BROKEN: ${asked}`;
  }
  return 'refused';
}
