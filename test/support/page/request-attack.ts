import { connect } from 'node:net';
import type { Random } from '../../simulation/random.ts';
import type { BrowserHost } from './browser-host.ts';
import type { BrowserPage } from './browser-page.ts';

/**
 * Requests to the browser host with anything wrong about them, and what has to be answered. The
 * expected answer is worked out here once more, from the request alone.
 */

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'WS'] as const;
const PATHS = [
  '/',
  '/index.html',
  '/nothing.html',
  '/session',
  '/tickets',
  '/upload',
  '/data/00000000-0000-4000-8000-000000000000/tiles',
  '/archive/999999',
  '/rpc',
] as const;
const HOSTS = [
  'own',
  'localhost',
  'ipv6',
  'other-port',
  'rebound',
  'suffix',
  'userinfo',
  'empty',
  'dotted',
] as const;
const ORIGINS = ['own', 'none', 'null', 'https', 'other-port', 'localhost', 'foreign'] as const;
/** Sec-Fetch-Site, and how the request came to be. */
const SITES = [
  'none-sent',
  'same-origin',
  'same-site',
  'cross-site',
  'opened-here',
  'opened-elsewhere',
  'framed',
] as const;
const PROOFS = [
  'none',
  'secret',
  'wrong',
  'empty',
  'shorter',
  'longer',
  'other-launch',
  'earlier-launch',
  'ticket',
  'used-ticket',
  'ticket-elsewhere',
  'ticket-as-secret',
  'secret-as-ticket',
  'cookie',
  'query',
  'lower-case-scheme',
] as const;

export interface Attempt {
  readonly method: (typeof METHODS)[number];
  readonly path: (typeof PATHS)[number];
  readonly host: (typeof HOSTS)[number];
  readonly origin: (typeof ORIGINS)[number];
  readonly site: (typeof SITES)[number];
  readonly proof: (typeof PROOFS)[number];
}

const CHOICES = {
  method: METHODS,
  path: PATHS,
  host: HOSTS,
  origin: ORIGINS,
  site: SITES,
  proof: PROOFS,
} as const;

/** What the attacker has beside the address. */
export interface Target {
  readonly host: BrowserHost;
  readonly page: BrowserPage;
  /** Secrets of another host that runs, and of one that ended. */
  readonly otherSecret: string;
  readonly earlierSecret: string;
}

/** Every attempt that differs from a right one in at most one thing. */
export function* attemptsNearRight(): Generator<Attempt> {
  for (const path of PATHS) {
    const right = rightAttempt(path);
    yield right;
    for (const key of Object.keys(CHOICES) as (keyof Attempt)[])
      for (const choice of CHOICES[key])
        if (key !== 'path' && choice !== right[key]) yield { ...right, [key]: choice } as Attempt;
  }
}

/** `count` attempts with anything wrong about them. */
export function* randomAttempts(count: number, random: Random): Generator<Attempt> {
  for (let index = 0; index < count; index++) yield randomAttempt(random);
}

function randomAttempt(random: Random): Attempt {
  const pick = <T>(choices: readonly T[]) => choices[random(0, choices.length - 1)] as T;
  // Mostly right, else nearly every attempt would already fail by its host.
  const mostly = <T>(right: T, choices: readonly T[]) => (random(0, 9) < 6 ? right : pick(choices));
  const right = rightAttempt(pick(PATHS));
  return {
    path: right.path,
    method: mostly(right.method, METHODS),
    host: mostly(right.host, HOSTS),
    origin: mostly(right.origin, ORIGINS),
    site: mostly(right.site, SITES),
    proof: mostly(right.proof, PROOFS),
  };
}

function rightAttempt(path: Attempt['path']): Attempt {
  const common = { path, host: 'own', site: 'same-origin' } as const;
  if (path === '/rpc') return { ...common, method: 'WS', origin: 'own', proof: 'none' };
  if (path === '/upload') return { ...common, method: 'POST', origin: 'own', proof: 'ticket' };
  if (path === '/tickets') return { ...common, method: 'POST', origin: 'own', proof: 'secret' };
  if (path === '/session') return { ...common, method: 'POST', origin: 'own', proof: 'none' };
  const proof = path.startsWith('/data')
    ? 'secret'
    : path.startsWith('/archive')
      ? 'ticket'
      : 'none';
  return { ...common, method: 'GET', origin: 'none', proof };
}

/** What may be answered; anything else is a way in, or the page shut out. */
function expectedStatus({ method, path, host, origin, site, proof }: Attempt): number {
  const isRead = method === 'GET' || method === 'HEAD';
  const isSocket = method === 'WS';
  const isPage = ['/', '/index.html', '/nothing.html', '/rpc'].includes(path) && !isSocket;
  if (path === '/' && isRead && (host === 'localhost' || host === 'ipv6')) return 307;
  if (!['own', 'other-port'].includes(host)) return 421;
  if (origin === 'none' ? !isRead : origin !== 'own' || host !== 'own')
    if (!(origin === 'other-port' && host === 'other-port')) return 403;
  const isOpened = site.startsWith('opened') || site === 'none-sent' || site === 'same-origin';
  if (isPage ? !isOpened : !['none-sent', 'same-origin', 'opened-here'].includes(site)) return 403;
  if (isSocket) return path === '/rpc' && proof !== 'ticket' ? 101 : 403;
  const needed = neededProof(path, method);
  if (needed !== undefined && needed !== proof) return 403;
  // A ticket is for one method too.
  if (needed === 'ticket' && method !== rightAttempt(path).method) return 403;
  return answeredStatus(path, method);
}

function neededProof(path: Attempt['path'], method: string): 'secret' | 'ticket' | undefined {
  if (path.startsWith('/data') || path === '/tickets') return 'secret';
  if (path === '/upload') return 'ticket';
  if (path.startsWith('/archive')) return method === 'HEAD' ? 'secret' : 'ticket';
  return undefined;
}

/** Of a request that was let in, with the body that `send` gives it. */
function answeredStatus(path: Attempt['path'], method: string): number {
  const methods: Record<string, readonly string[]> = {
    '/session': ['POST'],
    '/tickets': ['POST'],
    '/upload': ['POST'],
    '/data/00000000-0000-4000-8000-000000000000/tiles': ['GET'],
  };
  if (!(methods[path] ?? ['GET', 'HEAD']).includes(method)) return 405;
  // A token that is none, and no action that there are tickets for.
  if (path === '/session') return 403;
  if (path === '/tickets') return 400;
  if (path === '/upload' || path === '/' || path === '/index.html') return 200;
  return 404;
}

/** The status and all of the answer to `attempt`. */
async function attack(
  target: Target,
  attempt: Attempt,
): Promise<{ readonly status: number; readonly answer: string }> {
  const { method, path } = attempt;
  const { query, headers } = await proofOf(target, attempt);
  const lines = [
    `${method === 'WS' ? 'GET' : method} ${path}${query} HTTP/1.1`,
    `Host: ${hostOf(target, attempt.host)}`,
    ...originOf(target, attempt.origin),
    ...siteOf(attempt.site),
    ...headers,
  ];
  const body = bodyOf(path);
  if (method === 'WS') lines.push(...UPGRADE);
  else lines.push('Connection: close');
  if (method !== 'WS' && !['GET', 'HEAD'].includes(method))
    lines.push(`Content-Type: ${body.type}`, `Content-Length: ${body.text.length}`);
  const hasBody = method !== 'WS' && !['GET', 'HEAD'].includes(method);
  return send(target.host.port, `${lines.join('\r\n')}\r\n\r\n${hasBody ? body.text : ''}`);
}

const UPGRADE = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
];

function bodyOf(path: Attempt['path']): { readonly type: string; readonly text: string } {
  if (path === '/session') return { type: 'application/json', text: '{"token":"guessed"}' };
  if (path === '/tickets')
    return { type: 'application/json', text: '{"action":"GET /etc/passwd"}' };
  return { type: 'application/octet-stream', text: 'no trace' };
}

function hostOf({ host: { port } }: Target, kind: Attempt['host']): string {
  const names: Record<Attempt['host'], string> = {
    own: `127.0.0.1:${port}`,
    localhost: `localhost:${port}`,
    ipv6: `[::1]:${port}`,
    // A forwarded port may have another number: its own origin is as good.
    'other-port': '127.0.0.1:1',
    rebound: `evil.example:${port}`,
    suffix: `127.0.0.1.evil.example:${port}`,
    userinfo: `127.0.0.1:${port}@evil.example`,
    empty: '',
    dotted: `127.0.0.1.:${port}`,
  };
  return names[kind];
}

function originOf({ host: { port } }: Target, kind: Attempt['origin']): readonly string[] {
  const origins: Record<Attempt['origin'], string | undefined> = {
    own: `http://127.0.0.1:${port}`,
    none: undefined,
    null: 'null',
    https: `https://127.0.0.1:${port}`,
    'other-port': 'http://127.0.0.1:1',
    localhost: `http://localhost:${port}`,
    foreign: 'http://evil.example',
  };
  return origins[kind] === undefined ? [] : [`Origin: ${origins[kind]}`];
}

function siteOf(kind: Attempt['site']): readonly string[] {
  if (kind === 'none-sent') return [];
  const isOpened = kind.startsWith('opened');
  const site = isOpened ? (kind === 'opened-here' ? 'same-origin' : 'cross-site') : kind;
  const mode = isOpened || kind === 'framed' ? 'navigate' : 'cors';
  const destination = isOpened ? 'document' : kind === 'framed' ? 'iframe' : 'empty';
  return [
    `Sec-Fetch-Site: ${kind === 'framed' ? 'cross-site' : site}`,
    `Sec-Fetch-Mode: ${mode}`,
    `Sec-Fetch-Dest: ${destination}`,
  ];
}

interface Proof {
  readonly query: string;
  readonly headers: readonly string[];
}

async function proofOf(target: Target, { path, method, proof }: Attempt): Promise<Proof> {
  const { page, otherSecret, earlierSecret } = target;
  const { secret } = page;
  const ticketFor = async (action: string) =>
    (await page.ticket(action)).authorization.slice('Ticket '.length);
  const action = path === '/upload' ? 'POST /upload' : 'GET /archive/999999';
  const elsewhere = path === '/upload' ? 'GET /archive/999999' : 'GET /archive/1';
  const header = (text: string): Proof => ({ query: '', headers: [`Authorization: ${text}`] });
  switch (proof) {
    case 'none':
      return { query: '', headers: [] };
    case 'secret':
      return header(`Bearer ${secret}`);
    case 'wrong':
      return header(`Bearer ${'A'.repeat(43)}`);
    case 'empty':
      return header('Bearer ');
    case 'shorter':
      return header(`Bearer ${secret.slice(0, -1)}`);
    case 'longer':
      return header(`Bearer ${secret}A`);
    case 'other-launch':
      return header(`Bearer ${otherSecret}`);
    case 'earlier-launch':
      return header(`Bearer ${earlierSecret}`);
    case 'ticket':
      // As the page shows it: a download has no header.
      return path === '/upload'
        ? header(`Ticket ${await ticketFor(action)}`)
        : { query: `?ticket=${await ticketFor(action)}`, headers: [] };
    case 'used-ticket':
      return header(`Ticket ${await usedTicket(target, action)}`);
    case 'ticket-elsewhere':
      return header(`Ticket ${await ticketFor(elsewhere)}`);
    case 'ticket-as-secret':
      return header(`Bearer ${await ticketFor(action)}`);
    case 'secret-as-ticket':
      return header(`Ticket ${secret}`);
    case 'cookie':
      return { query: '', headers: [`Cookie: stalltrace=${secret}; secret=${secret}`] };
    case 'query':
      return method === 'WS'
        ? { query: '', headers: [`Sec-WebSocket-Protocol: ${secret}`] }
        : { query: `?secret=${secret}&ticket=${secret}`, headers: [] };
    case 'lower-case-scheme':
      return header(`bearer ${secret}`);
  }
}

async function usedTicket({ page }: Target, action: string): Promise<string> {
  const { authorization, origin } = await page.ticket(action);
  const [method = '', path = ''] = action.split(' ');
  await fetch(page.origin + path, {
    method,
    headers: { authorization, origin, 'content-type': 'application/octet-stream' },
    ...(method === 'POST' && { body: 'x' }),
  });
  return authorization.slice('Ticket '.length);
}

function send(port: number, text: string): Promise<{ status: number; answer: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    const settle = () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
      socket.destroy();
      resolve({ status, answer });
    };
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      // An upgraded connection stays open, and nothing may be sent on it.
      if (answer.startsWith('HTTP/1.1 101') && answer.includes('\r\n\r\n')) settle();
    });
    socket.on('close', settle);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // An answer to a body that nobody reads may be followed by a reset.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
}

/** What is wrong with an answer, `undefined` where it held. */
function flawOf(
  { page }: Target,
  attempt: Attempt,
  { status, answer }: { readonly status: number; readonly answer: string },
): string | undefined {
  const expected = expectedStatus(attempt);
  // Node itself answers 400 to an empty host.
  const isRight = status === expected || (status === 400 && attempt.host === 'empty');
  if (!isRight) return `answered ${status} instead of ${expected}`;
  if (answer.includes(page.secret)) return 'tells the secret';
  if (/^(?:set-cookie|access-control-)/im.test(answer)) return 'sets what it must not set';
  return undefined;
}

/** Tries all `attempts`, some at a time; what did not hold. */
export async function attackAll(
  target: Target,
  attempts: Iterable<Attempt>,
): Promise<{ readonly tried: number; readonly broken: readonly string[] }> {
  const queue = attempts[Symbol.iterator]();
  const broken: string[] = [];
  let tried = 0;
  async function work(): Promise<void> {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      tried++;
      const flaw = flawOf(target, next.value, await attack(target, next.value));
      if (flaw !== undefined) broken.push(`${JSON.stringify(next.value)}: ${flaw}`);
    }
  }
  await Promise.all(Array.from({ length: 8 }, work));
  return { tried, broken };
}
