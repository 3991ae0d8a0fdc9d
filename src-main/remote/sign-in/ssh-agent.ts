import type { Duplex } from 'node:stream';
import ssh2, { type BaseAgent } from 'ssh2';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { keyTypeOf } from '../trust/host-key.ts';
import type { SigningKey } from './signing-key.ts';
import { WireReader } from './ssh-wire.ts';

/** An agent may ask its user to unlock it before it lists its keys. */
const LIST_TIMEOUT_MS = 30_000;
const LARGEST_ANSWER_BYTES = 1024 ** 2;
const REQUEST_IDENTITIES = Buffer.from([0, 0, 0, 1, 11]);
const IDENTITIES_ANSWER = 12;

export interface AgentKeys {
  readonly usable: readonly SigningKey[];
  /** Keys that ssh2 can't sign with: certificates, security keys. In words. */
  readonly unusable: readonly string[];
}

/**
 * The keys of the agent at `path`: a socket, a named pipe of Windows, or `pageant`. ssh2 leaves out
 * those it can't use without a word (ssh2 issue 551), so that the list is read here.
 */
export async function listAgentKeys(
  path: string,
  signal: AbortSignal,
): Promise<Result<AgentKeys, 'agent-unreachable'>> {
  let agent: BaseAgent;
  let answer: Buffer;
  try {
    agent = ssh2.createAgent(path);
    answer = await exchange(agent, AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]));
  } catch (error) {
    return fail(
      'agent-unreachable',
      `The SSH agent at ${path} does not answer.`,
      describeThrown(error),
    );
  }
  const keys = parseIdentities(answer);
  const usable: SigningKey[] = [];
  const unusable: string[] = [];
  for (const { blob, comment } of keys) {
    const type = keyTypeOf(blob) ?? 'unknown';
    const label = `agent: ${cleanText(comment, 100) || type}`;
    const key = ssh2.utils.parseKey(blob);
    if (key instanceof Error || type.includes('-cert-') || type.startsWith('sk-'))
      unusable.push(`${label} (${cleanText(type, 80)})`);
    else usable.push({ label, blob, sign: (data, hash) => signByAgent(agent, blob, data, hash) });
  }
  return ok({ usable, unusable });
}

async function signByAgent(
  agent: BaseAgent,
  blob: Buffer,
  data: Buffer,
  hash: 'sha256' | 'sha512' | undefined,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    agent.sign(blob, data, hash === undefined ? {} : { hash }, (error, signature) =>
      resolve(error ? undefined : signature),
    );
  });
}

/** One request and its answer, without the length before it. */
function exchange(agent: BaseAgent, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    agent.getStream?.((error, stream) => {
      if (error || stream === undefined) {
        reject(error ?? new Error('no stream'));
        return;
      }
      readAnswer(stream, signal).then(resolve, reject);
      stream.write(REQUEST_IDENTITIES);
    });
  });
}

async function readAnswer(stream: Duplex, signal: AbortSignal): Promise<Buffer> {
  const stop = (): void => void stream.destroy(new Error('No answer in time.'));
  signal.addEventListener('abort', stop);
  try {
    let answer = Buffer.alloc(0);
    for await (const chunk of stream) {
      answer = Buffer.concat([answer, chunk as Buffer]);
      if (answer.length > LARGEST_ANSWER_BYTES) break;
      if (answer.length < 4) continue;
      const length = answer.readUInt32BE(0);
      if (answer.length >= 4 + length) return answer.subarray(4, 4 + length);
    }
    throw new Error('The agent answered with something else than its keys.');
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

function parseIdentities(answer: Buffer): { blob: Buffer; comment: string }[] {
  const reader = new WireReader(answer);
  if (reader.byte() !== IDENTITIES_ANSWER) return [];
  const keys: { blob: Buffer; comment: string }[] = [];
  for (let left = reader.uint32() ?? 0; left > 0; left--) {
    const blob = reader.string();
    const comment = reader.string();
    if (blob === undefined || comment === undefined) break;
    keys.push({ blob, comment: comment.toString('utf8') });
  }
  return keys;
}
