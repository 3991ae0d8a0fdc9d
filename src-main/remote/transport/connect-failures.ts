import type { ConnectError } from '../../shared/remote/connection.ts';
import { USE_SYSTEM_SSH } from '../../shared/remote/system-ssh-words.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';

/** A failure that fits any result of connecting. */
export type Failed = Result<never, ConnectError>;

/** Why no connection came about to `where`, an `address:port` in words. */
export function networkFailure(where: string, error: unknown): Failed {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const known = NETWORK[code];
  if (known !== undefined) return fail(known[0], `${where} ${known[1]}`, code);
  return fail('unreachable', `${where} can't be reached.`, code || undefined);
}

const NETWORK: Readonly<Record<string, readonly [ConnectError, string]>> = {
  ENOTFOUND: ['host-not-found', 'is not a name that the network knows: check the address.'],
  EAI_AGAIN: ['host-not-found', "can't be looked up now: check this machine's network."],
  ECONNREFUSED: [
    'connection-refused',
    'refuses connections: check the port, and that its SSH server runs.',
  ],
  EHOSTUNREACH: ['unreachable', "can't be reached: is it running, and does a VPN have to be up?"],
  ENETUNREACH: [
    'unreachable',
    "is in a network that can't be reached: check this machine's network.",
  ],
  ETIMEDOUT: ['timed-out', 'does not answer: check the address, and that a firewall lets you in.'],
  ECONNRESET: ['unreachable', 'closed the connection at once: it may block this address.'],
  EACCES: ['unreachable', "can't be reached: a firewall of this machine forbids it."],
};

export function connectTimeout(where: string, timeoutMs: number): Failed {
  const seconds = Math.round(timeoutMs / 1000);
  return fail(
    'timed-out',
    `${where} does not answer within ${seconds} s: check the address, and that a firewall lets you in.`,
  );
}

/** What a bastion said when it was asked to connect further. */
export function forwardingFailure(
  bastion: string,
  where: string,
  error: Error & { reason?: unknown },
): Failed {
  const said = cleanText(error.message.replace('(SSH) Channel open failure: ', ''), 200);
  if (error.reason === 1)
    return fail(
      'unreachable',
      `${bastion} does not let connections through to ${where}: its AllowTcpForwarding forbids it.`,
      said,
    );
  const code: ConnectError = /refused/i.test(said)
    ? 'connection-refused'
    : /unknown host|not known|resol/i.test(said)
      ? 'host-not-found'
      : 'unreachable';
  return fail(code, `${bastion} can't reach ${where}: it says “${said}”. Check the address.`, said);
}

/** The first bytes were no SSH server's. */
export function notSsh(where: string, said: string): Failed {
  const words = cleanText(said.split(/\r?\n/)[0] ?? '', 80);
  return words === ''
    ? fail(
        'no-ssh-server',
        `${where} closed the connection without a word: it has too many, blocks this address, or is not an SSH server.`,
      )
    : fail('no-ssh-server', `${where} is not an SSH server: it says “${words}”. Check the port.`);
}

/** `offers`: what ssh2 tells of the server's lists while they agree. */
export function noCommonAlgorithm(
  where: string,
  words: string,
  offers: ReadonlyMap<string, string>,
): Failed {
  const what = /matching (?:.->. )?(.+)$/.exec(words)?.[1] ?? 'algorithm';
  const kind = OFFERS.find(([pattern]) => pattern.test(words))?.[1];
  const offered = cleanText(offers.get(kind ?? '') ?? '', 300).replaceAll(',', ', ');
  const list = offered === '' ? '' : ` It offers ${offered}.`;
  return fail(
    'no-common-algorithm',
    `${where} and this app know no common ${what}.${list} Update its SSH server, or ${USE_SYSTEM_SSH}.`,
  );
}

const OFFERS: readonly (readonly [RegExp, string])[] = [
  [/key exchange/, 'KEX method'],
  [/host key/, 'Host key format'],
  [/C->S cipher/, 'C->S cipher'],
  [/S->C cipher/, 'S->C cipher'],
  [/C->S MAC/, 'C->S MAC'],
  [/S->C MAC/, 'S->C MAC'],
  [/compression/, 'C->S compression'],
];
