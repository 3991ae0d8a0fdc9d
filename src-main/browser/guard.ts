import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Who may talk to the loopback server. Any web page the user visits can send requests to
 * 127.0.0.1, and DNS rebinding can make them look local: hence Host, Origin and a cookie are
 * checked on every request and on the WebSocket upgrade (CVE-2025-24010 missed the latter).
 */

const TOKEN_LIFETIME_MS = 60_000;
const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

interface Refusal {
  readonly status: 403 | 421;
  readonly reason: string;
}

export interface Guard {
  /** A new launch token: good for one exchange within 60 s. */
  issueToken(): string;
  /** The Set-Cookie value for a launch token, once. */
  exchange(token: string): string | undefined;
  /** Refuses a foreign Host or Origin. `requireOrigin` for everything that is not a plain GET. */
  checkOrigin(request: IncomingMessage, requireOrigin: boolean): Refusal | undefined;
  /** Refuses a request without this instance's cookie. */
  checkCookie(request: IncomingMessage): Refusal | undefined;
}

export function createGuard(): Guard {
  const tokens = new Map<string, number>();
  const secret = randomBytes(32).toString('base64url');
  // Cookies ignore ports: two instances on one machine must not overwrite each other's.
  const cookieName = `stalltrace-${randomBytes(6).toString('hex')}`;

  return {
    issueToken() {
      const token = randomBytes(32).toString('base64url');
      for (const [old, endMs] of tokens) if (endMs < Date.now()) tokens.delete(old);
      tokens.set(token, Date.now() + TOKEN_LIFETIME_MS);
      return token;
    },
    exchange(token) {
      const known = [...tokens].find(([candidate]) => equalSecrets(candidate, token));
      if (known === undefined) return undefined;
      tokens.delete(known[0]);
      if (known[1] < Date.now()) return undefined;
      return `${cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/`;
    },
    checkOrigin(request, requireOrigin) {
      const { host, origin } = request.headers;
      if (host === undefined || !LOCAL_HOST.test(host)) {
        return { status: 421, reason: 'This server answers to local host names only.' };
      }
      if (origin === undefined && !requireOrigin) return undefined;
      if (origin === `http://${host}`) return undefined;
      return { status: 403, reason: 'This request comes from another site.' };
    },
    checkCookie(request) {
      const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
      const own = cookies.find((cookie) => cookie.startsWith(`${cookieName}=`));
      if (own !== undefined && equalSecrets(own.slice(cookieName.length + 1), secret)) {
        return undefined;
      }
      return { status: 403, reason: 'Open the link that Stalltrace printed.' };
    },
  };
}

/** Compares in constant time; hashing first makes the lengths equal. */
function equalSecrets(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
