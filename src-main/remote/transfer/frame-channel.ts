import { setTimeout as sleep } from 'node:timers/promises';
import type { HostError } from '../../shared/remote/connection.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import type { Transport } from '../transport/transport.ts';
import { brokeItsWord } from './broken-word.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ChannelPatience } from './channel-patience.ts';
import type { FrameBuffers } from './frame-buffers.ts';
import { type FrameLine, LONGEST_LINE_BYTES, parseSendLine, type SendLine } from './send-lines.ts';

/** What bringing a trace back needs of a host. */
export type TraceHost = Pick<HostSession, 'openAgent' | 'privilege'> & {
  readonly link: Pick<HostSession['link'], 'transport'>;
};

/** Which file it is on the host; another one is another trace. */
export interface FileIdentity {
  readonly bytes: number;
  readonly inode: string;
  readonly modifiedUnixNs: string;
}

export interface RemoteTrace {
  readonly path: string;
  readonly asRoot: boolean;
}

export type ChannelError =
  /** Nothing is wrong with the agent: the connection is gone. */
  | 'link-lost'
  | 'cancelled'
  /** The trace on the host is not what it was. */
  | 'changed'
  | 'trace-gone'
  /** It did what no agent of ours does: nothing of it is believed. */
  | 'host-broke-word'
  /** What came is not what its checksum says: the host's memory, or the host. */
  | 'bad-part'
  | HostError;

/** A frame as it came, not yet proved. */
export interface ReceivedFrame {
  readonly line: FrameLine;
  /** All of `memory`, or its beginning. */
  readonly body: Buffer<SharedArrayBuffer>;
  readonly memory: Buffer<SharedArrayBuffer>;
  /** How long the link had nothing to carry since the last frame: the host was not done with this one. */
  readonly waitedMs: number;
  readonly tookMs: number;
}

/** Said once that was so again and again. */
const LINK_LOST =
  'The connection to the host was lost again and again, and no more of the trace arrived: check the network, then bring the trace back again; what is here is kept.';
/** The end of a connection and of its channels are told in any order, at about the same time. */
export const LOSS_TOLD_WITHIN_MS = 500;

export interface OpenedAgent {
  readonly agent: AgentChannel;
  readonly transport: Transport;
  readonly reader: ByteReader;
  readonly patience: ChannelPatience;
  /** By what patience counts. */
  readonly secondMs: number;
}

/** One `stalltrace-agent send`: frames of one file, asked for in a row. */
export class FrameChannel {
  readonly identity: FileIdentity;
  private readonly agent: AgentChannel;
  private readonly transport: Transport;
  private readonly reader: ByteReader;
  private readonly patience: ChannelPatience;
  private readonly asked: { readonly offset: number; readonly length: number }[] = [];
  private readonly ticking: NodeJS.Timeout;
  private idle: Promise<boolean> | undefined;
  private isReading = false;
  private isClosed = false;
  private lastEndMs: number | undefined;
  private wrong: Failure<ChannelError> | undefined;

  constructor(opened: OpenedAgent, identity: FileIdentity) {
    this.identity = identity;
    this.agent = opened.agent;
    this.transport = opened.transport;
    this.reader = opened.reader;
    this.patience = opened.patience;
    this.ticking = setInterval(() => this.tick(), opened.secondMs);
    this.ticking.unref();
  }

  /** Frames asked for that have not come. */
  get inFlight(): number {
    return this.asked.length;
  }

  request(offset: number, length: number, level: number): void {
    if (this.asked.length === 0) this.lastEndMs = undefined;
    this.asked.push({ offset, length });
    this.agent.stdin.write(`frame ${offset} ${length} ${level}\n`);
  }

  /**
   * The next frame asked for, in memory of `buffers` that the caller gives back; after a failure
   * the channel is of no use any more.
   */
  async next(buffers: FrameBuffers): Promise<Result<ReceivedFrame, ChannelError>> {
    const [wanted] = this.asked;
    const line = await this.line();
    if (!line.ok) return line;
    const said = line.value;
    const headerMs = performance.now();
    if (wanted === undefined || said.event !== 'frame' || !answers(said, wanted))
      return this.breaksWord('it sent something other than what was requested');
    const memory = buffers.take();
    const body = memory.subarray(0, said.bytes);
    this.isReading = true;
    const filled = await this.reader.bytes(body);
    this.isReading = false;
    if (!filled.ok) {
      buffers.giveBack(memory);
      return this.ended();
    }
    this.asked.shift();
    const endMs = performance.now();
    const sinceMs = this.lastEndMs ?? headerMs;
    this.lastEndMs = endMs;
    const times = { waitedMs: headerMs - sinceMs, tookMs: endMs - sinceMs };
    return ok({ line: said, body, memory, ...times });
  }

  /** SHA-256 of the whole file, hex. */
  async hash(): Promise<Result<string, ChannelError>> {
    this.agent.stdin.write('hash\n');
    this.patience.awaitHash(this.identity.bytes);
    for (;;) {
      const line = await this.line();
      if (!line.ok) return line;
      const said = line.value;
      if (said.event === 'hash' && said.bytes === this.identity.bytes) return ok(said.sha256);
      if (said.event !== 'hashing' || !this.patience.hashed(said.bytes))
        return this.breaksWord('it sent something else than the checksum it was asked for');
    }
  }

  /** While nothing is asked for: settles when the agent says something all the same, or ends. */
  async speaks(): Promise<void> {
    this.idle ??= this.reader.waits();
    await this.idle;
  }

  /** A part that came by this channel is not what its checksum says. */
  badPart(): void {
    this.giveUp({
      code: 'bad-part',
      message: 'A part of the trace is not what its checksum says.',
    });
  }

  /** `what`: see brokeItsWord. */
  breaksWord(what: string): Result<never, ChannelError> {
    return this.giveUp(brokeItsWord(what));
  }

  /** Whatever comes, this is how it ended. */
  private giveUp(failure: Failure<ChannelError>): Result<never, ChannelError> {
    this.wrong ??= failure;
    this.close();
    return { ok: false, error: this.wrong };
  }

  close(): void {
    clearInterval(this.ticking);
    this.isClosed = true;
    this.agent.close();
  }

  private async line(): Promise<Result<SendLine, ChannelError>> {
    this.isReading = true;
    await this.idle;
    this.idle = undefined;
    const line = await this.reader.line(LONGEST_LINE_BYTES);
    this.isReading = false;
    if (!line.ok)
      return line.error.code === 'ended'
        ? this.ended()
        : this.breaksWord('it sent a line without an end');
    const said = parseSendLine(line.value);
    // What the user's own shell left running may print in between: another try may go well.
    if (!said.ok)
      return this.giveUp({ code: 'agent-failed', message: agentSaid(said.error.message) });
    return said.value.event === 'error' ? this.giveUp(refusal(said.value)) : ok(said.value);
  }

  private async ended(): Promise<Result<never, ChannelError>> {
    clearInterval(this.ticking);
    this.isReading = false;
    if (this.wrong !== undefined) return { ok: false, error: this.wrong };
    if (this.isClosed) return cancelled();
    return howItEnded(this.agent, this.transport);
  }

  private tick(): void {
    const what = this.patience.tick(this.isReading);
    if (what === undefined) return;
    const message = `The agent on the host ${what}: check whether the host is overloaded or its disk hangs, then bring the trace back again; what is here is kept.`;
    this.giveUp({ code: 'timed-out', message });
  }
}

export type ErrorLine = Extract<SendLine, { event: 'error' }>;

function answers(line: FrameLine, wanted: { offset: number; length: number }): boolean {
  const { offset, length, encoding, bytes } = line;
  const fits = encoding === 'stored' ? bytes === length : bytes > 0 && bytes < length;
  return offset === wanted.offset && length === wanted.length && fits;
}

function refusal({ code, message }: ErrorLine): Failure<ChannelError> {
  if (code === 'changed') return { code, message };
  return { code: 'agent-failed', message: agentSaid(message) };
}

/** Whether the agent ended or the connection under it. */
export async function howItEnded(
  agent: AgentChannel,
  transport: Transport,
): Promise<Result<never, ChannelError>> {
  const lost = await within(transport.ended, LOSS_TOLD_WITHIN_MS);
  if (lost !== undefined) return fail('link-lost', LINK_LOST);
  const exit = await within(agent.exit, LOSS_TOLD_WITHIN_MS);
  const how =
    exit?.signal !== undefined ? `by signal ${exit.signal}` : `with exit code ${exit?.code ?? '–'}`;
  return fail('agent-failed', agentSaid(`It ended ${how} in the middle.`), agent.stderrTail());
}

export function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return Promise.race([promise, sleep(ms, undefined, { ref: false })]);
}

export function agentSaid(sentence: string): string {
  return `The agent on the host could not send the trace. ${sentence} Bring it back again; what is here is kept.`;
}

export function cancelled(): Result<never, 'cancelled'> {
  return fail('cancelled', 'Bringing the trace back was cancelled; what is here is kept.');
}
