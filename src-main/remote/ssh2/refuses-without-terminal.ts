import { randomUUID } from 'node:crypto';
import { fail } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { Failed } from '../transport/connect-failures.ts';
import type { Channel, Transport } from '../transport/transport.ts';
import type { Ssh2Hop } from './ssh2-hop.ts';

const PROBE_MS = 20_000;
const MOST_OUTPUT = 16 * 1024;

/**
 * Whether the host runs commands only in a terminal, as gateways of rental providers do. OpenSSH runs
 * them without one, so that it is not asked: that would cost every connection a round trip.
 */
export async function refusesWithoutTerminal(
  transport: Transport,
  host: Pick<Ssh2Hop, 'software' | 'address'>,
  signal: AbortSignal,
): Promise<Failed | undefined> {
  if (/^SSH-2\.0-OpenSSH_/.test(host.software)) return undefined;
  const word = randomUUID();
  const said = await answerTo(transport, `echo ${word}`, signal);
  if (said === undefined) return undefined;
  if (said.includes(word) || !/\b(?:pty|tty|terminal)\b/i.test(said)) return undefined;
  return fail(
    'pty-required',
    `${host.address} runs commands in a terminal only: use an address with plain SSH, which RunPod calls “SSH over exposed TCP”.`,
    cleanText(said, 200),
  );
}

/** What a command printed; undefined where the link was lost, or the host never began it. */
async function answerTo(
  transport: Transport,
  command: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  const stopped = Promise.withResolvers<undefined>();
  const stop = (): void => stopped.resolve(undefined);
  enough.addEventListener('abort', stop);
  if (enough.aborted) stop();
  const opening = transport.exec(command);
  const opened = await Promise.race([opening, stopped.promise]);
  if (opened?.ok === true) {
    const said = await outputOf(opened.value, stopped.promise);
    enough.removeEventListener('abort', stop);
    return said;
  }
  enough.removeEventListener('abort', stop);
  if (opened === undefined) void opening.then((late) => late.ok && late.value.close());
  return opened?.error.code === 'no-more-channels' ? 'no commands, no terminal' : undefined;
}

async function outputOf(channel: Channel, stopped: Promise<undefined>): Promise<string> {
  let said = '';
  const collect = (chunk: Buffer): void => {
    if (said.length < MOST_OUTPUT) said += chunk.toString('utf8');
  };
  channel.stdout.on('data', collect);
  channel.stderr.on('data', collect);
  channel.stdin.end();
  await Promise.race([channel.exit, stopped]);
  channel.close();
  return said;
}
