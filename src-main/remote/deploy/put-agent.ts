import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes } from '../../shared/text/units.ts';
import type { Link } from '../link/link.ts';
import type { ScriptOutput } from '../shell/host-session.ts';
import { runScript } from '../shell/run-script.ts';
import { transportOf } from '../shell/transport-of.ts';
import type { AgentBuild } from './agent-build.ts';
import { checkVersion } from './agent-version.ts';
import type { ChosenPlaces } from './choose-places.ts';
import { putScript, READY } from './put-script.ts';

/** Without one byte taken by the host. */
const STALL_MS = 60_000;
const PIECE_BYTES = 64 * 1024;
const packed = promisify(gzip);

/** What became of it: `failed` with the place that could not be used after all, and why. */
export type PutOutcome =
  | { readonly kind: 'put' | 'there' }
  | { readonly kind: 'failed'; readonly place: string; readonly why: string };

/**
 * Makes and marks our folders, and puts the agent into one of them unless it is there: under a temporary
 * name, hashed on the host, renamed. Then it must say that it is the one that was sent.
 */
export async function putAgent(
  link: Link,
  build: AgentBuild,
  { agent, traces }: ChosenPlaces,
  options: {
    readonly hasGzip: boolean;
    readonly signal: AbortSignal;
    progress(text: string): void;
  },
): Promise<Result<PutOutcome, HostError | 'cancelled'>> {
  const { hasGzip, signal, progress } = options;
  const isThere = agent.agentVersion !== '';
  if (isThere) {
    const checked = checkVersion(agent.agentVersion, build);
    if (!checked.ok) return checked;
    if (agent.ours && traces.ours) return ok({ kind: 'there' });
  }
  const transport = await transportOf(link, signal);
  if (!transport.ok) return transport;
  const bytes = isThere ? Buffer.alloc(0) : await bytesToSend(build, hasGzip);
  const ran = await runScript(
    transport.value,
    putScript,
    [
      randomBytes(16).toString('hex'),
      randomBytes(16).toString('hex'),
      traces.path,
      agent.path,
      build.folder,
      build.sha256,
      isThere ? 'there' : String(build.bytes.length),
      hasGzip ? 'gzip' : 'plain',
    ],
    {
      signal,
      timeoutMs: STALL_MS,
      feed: {
        after: READY,
        write: (stdin, alive, done) =>
          sendBytes(stdin, bytes, done, (sent) => {
            alive();
            const of = `${formatBytes(sent)} of ${formatBytes(bytes.length)}`;
            progress(`Putting the agent on the host: ${of}.`);
          }),
      },
    },
  );
  return ran.ok ? readOutcome(ran.value, build, isThere) : ran;
}

async function bytesToSend(build: AgentBuild, hasGzip: boolean): Promise<Buffer> {
  return hasGzip ? packed(build.bytes) : build.bytes;
}

/** In pieces, each when the host has taken those before. */
async function sendBytes(
  stdin: Writable,
  bytes: Buffer,
  done: AbortSignal,
  progress: (sent: number) => void,
): Promise<void> {
  for (let at = 0; at < bytes.length && !done.aborted; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    if (!stdin.write(piece)) await once(stdin, 'drain', { signal: done });
    progress(at + piece.length);
  }
  stdin.end();
}

/** What `putScript` said, which may be anything. */
export function readOutcome(
  { stdout, stderr }: Pick<ScriptOutput, 'stdout' | 'stderr'>,
  build: AgentBuild,
  isThere: boolean,
): Result<PutOutcome, HostError | 'cancelled'> {
  const lines = stdout.split('\n').map((line) => line.split('\t'));
  const field = (key: string) => lines.find(([first]) => first === key);
  if (field('done') !== undefined) {
    if (isThere) return ok({ kind: 'there' });
    const checked = checkVersion(field('version')?.[1] ?? '', build);
    return checked.ok ? ok({ kind: 'put' }) : checked;
  }
  const [, what = '', reason = ''] = field('failed') ?? [];
  const why = cleanText(reason, 400);
  if (what.startsWith('/')) return ok({ kind: 'failed', place: what, why });
  if (/no space left|quota exceeded/i.test(stderr)) {
    const message = 'The disk of the host became full while the agent was put there: free some.';
    return fail('host-disk-full', message, stderr);
  }
  if (what === 'hash') {
    const message =
      'The agent arrived on the host with another content than it was sent with: try again; if that repeats, have the host’s memory and disk looked at.';
    return fail('deploy-failed', message);
  }
  const message = 'The agent could not be put on the host: try again.';
  return fail('deploy-failed', message, `${cleanText(what, 400)} ${why}\n${stderr.slice(0, 1000)}`);
}
