import type { Duplex } from 'node:stream';
import type { ConnectError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { KEEP_ALIVE_MS, type ResolvedHost } from '../config/resolved-host.ts';
import type { Ask } from '../link/ask.ts';
import type { Credentials } from '../sign-in/credentials.ts';
import { serverAddress } from '../transport/host-address.ts';
import type { Transport } from '../transport/transport.ts';
import type { HostTrust } from '../trust/host-trust.ts';
import { forwardOver } from './forward-over.ts';
import { openHop } from './open-hop.ts';
import { refusesWithoutTerminal } from './refuses-without-terminal.ts';
import type { Ssh2Hop } from './ssh2-hop.ts';
import { Ssh2Transport } from './ssh2-transport.ts';
import { connectTcp } from './tcp-connect.ts';

/** How often a host may lose patience with a person who is asked. */
const MOST_CONNECTIONS = 5;

export interface Ssh2Options {
  readonly trust: HostTrust;
  readonly credentials: Credentials;
  /** Absent where nobody is to be asked: what would need a person then fails. */
  readonly ask?: Ask;
  readonly signal: AbortSignal;
  /** What is about to be done, for whoever waits. */
  readonly onStep?: (text: string) => void;
  /** Instead of the host's own, else KEEP_ALIVE_MS. */
  readonly keepAliveMs?: number;
}

type Failing = ConnectError | 'cancelled';

/**
 * Connects to `host`, over its jumps, verifies every host's key and signs in. Aborting `signal`
 * withdraws questions and closes what is open.
 */
export async function openSsh2(
  host: ResolvedHost,
  options: Ssh2Options,
): Promise<Result<Transport, Failing>> {
  const hops: Ssh2Hop[] = [];
  for (const jump of host.jumps) {
    const opened = await openNext(jump, host, hops.at(-1), options);
    if (!opened.ok) return closed(hops, opened);
    hops.push(opened.value);
  }
  const opened = await openNext(host, host, hops.at(-1), options);
  if (!opened.ok) return closed(hops, opened);
  const transport = new Ssh2Transport(hops, opened.value);
  const refused = await refusesWithoutTerminal(transport, opened.value, options.signal);
  if (refused === undefined && !options.signal.aborted) return ok(transport);
  transport.close();
  return refused ?? fail('cancelled', 'Cancelled.');
}

function closed<T>(hops: readonly Ssh2Hop[], failed: T): T {
  for (const hop of hops.toReversed()) hop.close();
  return failed;
}

async function openNext(
  next: ResolvedHost,
  target: ResolvedHost,
  before: Ssh2Hop | undefined,
  options: Ssh2Options,
): Promise<Result<Ssh2Hop, Failing>> {
  const on = next === target ? '' : `, on the way to ${target.name},`;
  const where = `${serverAddress(next)}${on}`;
  if (next.needsSystemSsh !== undefined) return fail('needs-system-ssh', next.needsSystemSsh);
  for (let attempt = 1; ; attempt++) {
    options.onStep?.(`Connecting to ${where.replace(/,$/, '')}`);
    const socket = await openSocket(next, where, before, options.signal);
    if (!socket.ok) return socket;
    options.onStep?.(`Checking the key of ${where} and signing in as ${next.user}`);
    const opened = await openHop(socket.value, {
      ...options,
      host: next,
      where,
      keepAliveMs: options.keepAliveMs ?? target.keepAliveMs ?? KEEP_ALIVE_MS,
    });
    if (opened.ok) return opened;
    const { code, message, detail } = opened.error;
    if (code !== 'again') return fail(code, message, detail);
    if (attempt === MOST_CONNECTIONS)
      return fail('timed-out', `${where} does not wait for your answer: connect again.`);
  }
}

function openSocket(
  next: ResolvedHost,
  where: string,
  before: Ssh2Hop | undefined,
  signal: AbortSignal,
): Promise<Result<Duplex, Failing>> {
  return before === undefined
    ? connectTcp(next, where, signal)
    : forwardOver(before, next, where, signal);
}
