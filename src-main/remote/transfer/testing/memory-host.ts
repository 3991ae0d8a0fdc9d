import { createHash, randomInt } from 'node:crypto';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import type { HostError } from '../../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { AgentChannel } from '../../shell/host-session.ts';
import type { ChannelExit, Transport, TransportEnd } from '../../transport/transport.ts';
import type { TraceHost } from '../frame-channel.ts';

/** What `send` would answer to a request, and what becomes of it instead. */
export interface Answering {
  /** Of this host, from 0, in the order they were opened. */
  readonly channel: number;
  readonly request: string;
  readonly line: Record<string, unknown>;
  readonly body: Buffer;
}
/** `silent`: nothing, ever. `die`: the agent is killed. */
type Answer = Buffer | 'silent' | 'die' | undefined;

interface MemoryChannel {
  end(exit: ChannelExit): void;
}

/** A host whose agent and connection are this process, for what no real one does on command. */
export class MemoryHost implements TraceHost {
  readonly privilege = 'no-sudo';
  content: Buffer;
  inode = '4711';
  maxSessions = 10;
  /** Channels that were opened so far. */
  opened = 0;
  mostOpen = 0;
  /** Frames that were asked for, by offset. */
  readonly asked: number[] = [];
  latencyMs: () => number = () => 0;
  /** Frames beyond so many are never answered. */
  holdAfter = Number.POSITIVE_INFINITY;
  /** Said before all else; undefined: what `send` says. */
  greeting: ((ready: Record<string, unknown>) => Answer) | undefined;
  answer: ((answering: Answering) => Answer | Promise<Answer>) | undefined;
  private readonly channels = new Set<MemoryChannel>();
  private current: { readonly transport: Transport; end(end: TransportEnd): void } | undefined;
  private waiting: (() => void)[] = [];
  private closedWhy: string | undefined;

  constructor(content: Buffer) {
    this.content = content;
    this.connect();
  }

  readonly link = {
    transport: async (
      signal: AbortSignal,
    ): Promise<Result<Transport, 'not-connected' | 'cancelled'>> => {
      while (this.current === undefined) {
        if (this.closedWhy !== undefined) return fail('not-connected', this.closedWhy);
        if (signal.aborted) return fail('cancelled', 'cancelled');
        await new Promise<void>((resolve) => {
          this.waiting.push(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return ok(this.current.transport);
    },
  };

  connect(): void {
    const { promise, resolve } = Promise.withResolvers<TransportEnd>();
    const transport: Transport = {
      kind: 'ssh2',
      facts: { signedInWith: 'test', via: [] },
      exec: async () => fail('link-lost', 'not in this test'),
      ended: promise,
      close: () => undefined,
    };
    this.current = { transport, end: resolve };
    for (const go of this.waiting.splice(0)) go();
  }

  /** The connection is lost: whatever is on its way never comes. */
  cut(): void {
    this.current?.end({ why: 'cut', wanted: false });
    this.current = undefined;
    for (const channel of [...this.channels]) channel.end({ code: null });
  }

  /** For good. */
  closeLink(why: string): void {
    this.closedWhy = why;
    this.cut();
    for (const go of this.waiting.splice(0)) go();
  }

  async openAgent(
    args: readonly string[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Result<AgentChannel, HostError | 'cancelled'>> {
    if (args[0] !== 'send' || args[1] !== '--file') throw new Error(`what is ${args.join(' ')}?`);
    await sleep(this.latencyMs());
    if (signal.aborted) return fail('cancelled', 'cancelled');
    if (this.current === undefined) return fail('link-lost', 'lost');
    if (this.channels.size >= this.maxSessions) return fail('no-more-channels', 'no more');
    const index = this.opened++;
    return ok(this.serve(index));
  }

  private serve(index: number): AgentChannel {
    const stdout = new PassThrough();
    const { promise: exit, resolve } = Promise.withResolvers<ChannelExit>();
    const host = this;
    const channel: MemoryChannel = {
      end(how) {
        if (!host.channels.delete(channel)) return;
        stdout.end();
        resolve(how);
      },
    };
    this.channels.add(channel);
    this.mostOpen = Math.max(this.mostOpen, this.channels.size);
    let last: Promise<unknown> = Promise.resolve();
    const say = async (answer: Answer) => {
      if (answer === 'die') channel.end({ code: null, signal: 'KILL' });
      else if (answer !== 'silent' && answer !== undefined && host.channels.has(channel))
        await trickle(stdout, answer);
    };
    const stdin = new Writable({
      write(text, _encoding, done) {
        for (const request of String(text).trim().split('\n'))
          last = last.then(async () => {
            await sleep(host.latencyMs());
            if (host.channels.has(channel)) await say(await host.answerTo(index, request));
          });
        done();
      },
    });
    const ready = this.ready();
    void say(this.greeting?.(ready) ?? Buffer.from(`${JSON.stringify(ready)}\n`));
    const stderr = new PassThrough();
    const close = () => channel.end({ code: null });
    return { stdin, stdout, stderr, exit, close, stderrTail: () => 'what it said' };
  }

  private ready(): Record<string, unknown> {
    const numbers = { bytes: this.content.length, inode: this.inode, modified_unix_ns: '17' };
    return { v: 1, event: 'ready', agent: '0.1.0', protocol: 2, file: '/f', ...numbers };
  }

  private async answerTo(channel: number, request: string): Promise<Answer> {
    const { line, body } = this.honest(request);
    if (this.asked.length > this.holdAfter) return 'silent';
    const told = await this.answer?.({ channel, request, line, body });
    return told ?? packed(line, body);
  }

  private honest(request: string): { line: Record<string, unknown>; body: Buffer } {
    const [verb, offset = 0, length = 0] = request
      .split(' ')
      .map((word, at) => (at ? +word : word));
    const of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const head = { v: 1, event: verb };
    if (verb === 'hash') {
      const line = { ...head, bytes: this.content.length, sha256: of(this.content) };
      return { line, body: Buffer.alloc(0) };
    }
    this.asked.push(Number(offset));
    const raw = this.content.subarray(Number(offset), Number(offset) + Number(length));
    const small = zstdCompressSync(raw);
    const isSmaller = small.length < raw.length;
    const body = isSmaller ? small : raw;
    const encoding = isSmaller ? 'zstd' : 'stored';
    const facts = { offset, length, encoding, bytes: body.length, sha256: of(raw) };
    return { line: { ...head, ...facts }, body };
  }
}

/** A line and what follows it, as `send` writes them. */
export function packed(line: Record<string, unknown>, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), body]);
}

/** In pieces that have nothing to do with lines and frames, waiting where nobody reads. */
async function trickle(stdout: PassThrough, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length && !stdout.writableEnded; ) {
    const end = at + randomInt(1, 200_000);
    if (!stdout.write(bytes.subarray(at, end)))
      await Promise.race([new Promise((resolve) => stdout.once('drain', resolve)), sleep(50)]);
    at = end;
  }
}
