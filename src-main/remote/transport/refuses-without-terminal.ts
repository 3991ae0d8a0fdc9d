import { randomUUID } from 'node:crypto';
import { fail } from '../../shared/result.ts';
import { cleanText } from '../../shared/text.ts';
import type { Failed } from './connect-failures.ts';
import type { Ssh2Hop } from './ssh2-hop.ts';
import type { Channel, Transport } from './transport.ts';

const PROBE_MS = 20_000;
const MOST_OUTPUT = 16 * 1024;

/**
 * Whether the host runs commands only in a terminal, as gateways of rental providers do. OpenSSH runs
 * them without one, so that it is not asked: that would cost every connection a round trip.
 */
export async function refusesWithoutTerminal(
  transport: Transport,
  host: Ssh2Hop,
  signal: AbortSignal,
): Promise<Failed | undefined> {
  if (/^SSH-2\.0-OpenSSH_/.test(host.software)) return undefined;
  const word = randomUUID();
  const channel = await transport.exec(`echo ${word}`);
  if (!channel.ok && channel.error.code === 'link-lost') return undefined;
  const said = channel.ok ? await outputOf(channel.value, signal) : 'no commands, no terminal';
  if (said.includes(word) || !/\b(?:pty|tty|terminal)\b/i.test(said)) return undefined;
  return fail(
    'pty-required',
    `${host.address} runs commands in a terminal only: use an address with plain SSH, which RunPod calls “SSH over exposed TCP”.`,
    cleanText(said, 200),
  );
}

async function outputOf(channel: Channel, signal: AbortSignal): Promise<string> {
  let said = '';
  const collect = (chunk: Buffer): void => {
    if (said.length < MOST_OUTPUT) said += chunk.toString('utf8');
  };
  channel.stdout.on('data', collect);
  channel.stderr.on('data', collect);
  channel.stdin.end();
  const enough = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  const stop = (): void => channel.close();
  enough.addEventListener('abort', stop);
  await channel.exit;
  enough.removeEventListener('abort', stop);
  return said;
}
