import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SECRET_SCHEME, TICKET_SCHEME, UNKNOWN_PAGE } from '../shared/browser-session.ts';
import { OneTimeKeys } from './one-time-keys.ts';

/**
 * Who may talk to the loopback server. Any web page the user visits can send requests to
 * 127.0.0.1, DNS rebinding can make them look local, and other users of the machine can send
 * anything. So Host, Origin and Sec-Fetch-Site are checked on every request and on the WebSocket
 * upgrade, and all that tells or does something needs the secret of this start or a ticket.
 *
 * There is no cookie: a browser sends one to every port of 127.0.0.1, so to other users' servers.
 */

const KEY_LIFETIME_MS = 60_000;
/** More than a page has under way; who asks for more loses the oldest. */
const MAX_KEYS = 64;
/** `localhost` is left out: another user may answer to it on ::1, which browsers try first. */
const OWN_HOST = /^127\.0\.0\.1(?::\d{1,5})?$/;
const OTHER_LOCAL_HOST = /^(?:localhost|\[::1\])(:\d{1,5})?$/i;

export interface Refusal {
  readonly status: 403 | 421;
  readonly reason: string;
}

export interface Guard {
  /** A new token for a link: good for one exchange within 60 s. */
  issueToken(): string;
  /** The secret of this start for a link's token, once. */
  exchange(token: string): string | undefined;
  knowsSecret(secret: string): boolean;
  /** Refuses a request without the secret in its header. */
  checkSecret(request: IncomingMessage): Refusal | undefined;
  /** A ticket for one request, `GET /archive/7`, within 60 s. */
  issueTicket(action: string): string;
  /** Refuses a request whose header, or whose address, has no ticket for just this. */
  checkTicket(request: IncomingMessage, url: URL): Refusal | undefined;
}

export function createGuard(): Guard {
  const tokens = new OneTimeKeys(KEY_LIFETIME_MS, MAX_KEYS);
  const tickets = new OneTimeKeys(KEY_LIFETIME_MS, MAX_KEYS);
  const secret = randomBytes(32).toString('base64url');
  const unknown = { status: 403, reason: UNKNOWN_PAGE } as const;
  const knowsSecret = (candidate: string) => equalSecrets(candidate, secret);

  return {
    issueToken: () => tokens.issue('exchange'),
    exchange: (token) => (tokens.spend(token, 'exchange') ? secret : undefined),
    knowsSecret,
    checkSecret: (request) =>
      knowsSecret(authorization(request, SECRET_SCHEME) ?? '') ? undefined : unknown,
    issueTicket: (action) => tickets.issue(action),
    checkTicket(request, url) {
      const ticket = authorization(request, TICKET_SCHEME) ?? url.searchParams.get('ticket') ?? '';
      if (tickets.spend(ticket, `${request.method} ${url.pathname}`)) return undefined;
      return unknown;
    },
  };
}

/**
 * Refuses a request that comes from another site or by another name. `needsOrigin`: for all that
 * is not a plain read. `isPage`: a link elsewhere may lead to it.
 */
export function checkSource(
  { headers }: IncomingMessage,
  { needsOrigin, isPage }: { readonly needsOrigin: boolean; readonly isPage: boolean },
): Refusal | undefined {
  const { host, origin } = headers;
  if (host === undefined || !OWN_HOST.test(host)) {
    return { status: 421, reason: 'This server answers to http://127.0.0.1 only.' };
  }
  const isSame = origin === undefined ? !needsOrigin : origin === `http://${host}`;
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  const isOpened = headers['sec-fetch-mode'] === 'navigate' && isDocument(headers);
  if (isSame && (site === 'same-origin' || (isPage && isOpened))) return undefined;
  return { status: 403, reason: 'This request comes from another site.' };
}

const isDocument = (headers: IncomingMessage['headers']) =>
  headers['sec-fetch-dest'] === 'document';

/** The page's own address where `host` is another local name of it: the fragment is kept by browsers. */
export function ownAddress(host = ''): string | undefined {
  const [known, port = ''] = OTHER_LOCAL_HOST.exec(host) ?? [];
  return known === undefined ? undefined : `http://127.0.0.1${port}/`;
}

function authorization({ headers }: IncomingMessage, scheme: string): string | undefined {
  const value = headers.authorization ?? '';
  return value.startsWith(`${scheme} `) ? value.slice(scheme.length + 1) : undefined;
}

/** Compares in constant time; hashing first makes the lengths equal. */
function equalSecrets(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
