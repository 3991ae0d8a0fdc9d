import { fail } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { type Failed, networkFailure } from '../transport/connect-failures.ts';
import { serverAddress } from '../transport/host-address.ts';

/** What ssh wrote: its log at DEBUG1, and what came by its standard error (hops, commands, banners). */
export interface SshWords {
  readonly log: string;
  readonly stderr: string;
}

/** ssh's sentences without its own debugging, oldest first. */
function sentencesOf({ log, stderr }: SshWords): readonly string[] {
  return `${stderr}\n${log}`
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(debug\d:|OpenSSH_|Authenticated to |@@@|@ )/.test(line));
}

/** `known_hosts` name of the host whose key is another one than before. */
export function changedHostName(words: SshWords): string | undefined {
  const text = `${words.log}\n${words.stderr}`;
  return /^Host key for (\S+) has changed and you have requested strict checking\.?\r?$/m.exec(
    text,
  )?.[1];
}

const NETWORK: readonly (readonly [RegExp, string])[] = [
  [/Could not resolve hostname/i, 'ENOTFOUND'],
  [/Connection refused/i, 'ECONNREFUSED'],
  [/No route to host/i, 'EHOSTUNREACH'],
  [/Network is unreachable/i, 'ENETUNREACH'],
  [/timed out/i, 'ETIMEDOUT'],
];

/** Why ssh ended before it was signed in, from its own sentences; the last one is the detail. */
export function connectFailure(host: ResolvedHost, words: SshWords): Failed {
  const sentences = sentencesOf(words);
  const text = sentences.join('\n');
  const detail = cleanText(sentences.at(-1) ?? 'ssh said nothing', 500);
  const where = serverAddress(host);
  const network = NETWORK.find(([pattern]) => pattern.test(text))?.[1];
  if (
    /Bad configuration option|Bad owner or permissions|terminating, \d+ bad|: Bad .*argument/i.test(
      text,
    )
  ) {
    return fail(
      'config-unreadable',
      `ssh can't read its configuration: ${sentence(detail)} Correct it, then connect again.`,
      detail,
    );
  }
  if (/marked as revoked|REVOKED HOST KEY/i.test(`${text}\n${words.log}`)) {
    return fail(
      'host-key-revoked',
      `The key of ${where} is revoked in your known_hosts: do not sign in, ask who runs the host.`,
      detail,
    );
  }
  if (/Host key verification failed|host key is known for .* requested strict/i.test(text)) {
    return fail(
      'host-key-unknown',
      `The key of ${where}, or of a host on the way, is not known, and nobody confirmed it: connect again and compare it with what the host's owner says.`,
      detail,
    );
  }
  if (
    /Permission denied|Too many authentication failures|No more authentication methods/i.test(text)
  ) {
    return refusedSignIn(where, words, detail);
  }
  if (/Unable to negotiate|no matching .* found/i.test(text)) {
    return fail(
      'no-common-algorithm',
      `${where} and this machine's ssh know no common algorithm: update the host's SSH server. ssh says: ${sentence(detail)}`,
      detail,
    );
  }
  if (network !== undefined) {
    const failure = networkFailure(where, { code: network });
    return failure.ok ? failure : fail(failure.error.code, failure.error.message, detail);
  }
  if (
    /kex_exchange_identification|banner exchange|Connection closed by|Connection reset/i.test(text)
  ) {
    return fail(
      'no-ssh-server',
      `${where} closed the connection before ssh was signed in: check the port, the hosts on the way, and that it does not block this address. ssh says: ${sentence(detail)}`,
      detail,
    );
  }
  return fail(
    'unreachable',
    `This machine's ssh can't connect to ${where}: ${sentence(detail)} Try “ssh ${cleanText(host.name, 80)}” in a terminal.`,
    detail,
  );
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function refusedSignIn(where: string, { log }: SshWords, detail: string): Failed {
  const tried = [...log.matchAll(/^debug1: Next authentication method: (\S+)/gm)].map(
    (match) => match[1] ?? '',
  );
  const allowed =
    [...log.matchAll(/^debug1: Authentications that can continue: (\S+)/gm)].at(-1)?.[1] ?? '';
  const unreadable = /^Load key "(.+)": (.+)$/m.exec(log);
  const did =
    tried.length === 0 ? 'nothing could be tried' : `tried ${listed([...new Set(tried)])}`;
  const lets = allowed === '' ? '' : ` The host allows ${listed(allowed.split(','))}.`;
  const key =
    unreadable === null
      ? ''
      : ` The key ${cleanText(unreadable[1] ?? '', 200)} could not be used: ${sentence(cleanText(unreadable[2] ?? '', 100))}`;
  return fail(
    'sign-in-failed',
    `Could not sign in to ${where}: ${did}.${lets}${key} Check the user name, the key or the password.`,
    detail,
  );
}

function listed(words: readonly string[]): string {
  return words
    .slice(0, 8)
    .map((word) => cleanText(word, 40))
    .join(', ');
}

/** Why a connection that stood is over. */
export function endOfConnection(host: ResolvedHost, words: SshWords): string {
  const last = sentencesOf(words).at(-1);
  if (/not responding/i.test(last ?? '')) return `${serverAddress(host)} does not answer any more.`;
  return last === undefined
    ? `The connection to ${serverAddress(host)} ended.`
    : `The connection to ${serverAddress(host)} ended: ${sentence(cleanText(last, 300))}`;
}
