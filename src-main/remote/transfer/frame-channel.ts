import { setTimeout as sleep } from 'node:timers/promises';
import type { HostError } from '../../shared/remote/connection.ts';
import { type Failure, fail, ok, type Result } from '../../shared/result.ts';
import type { AgentChannel, HostSession } from '../shell/host-session.ts';
import type { Transport } from '../transport/transport.ts';
import { ByteReader } from './byte-reader.ts';
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

/**
 * Without a byte for so long over a link that is alive, the agent is given up: it may compress at a
 * crawl beside a job that takes all CPUs. Dead links are found by their keepalive, not here.
 */
const SILENT_S = 60;
/** The exit code of `send` where there is no such file. */
const NO_FILE = 3;
const OPEN_MS = 60_000;
/** The end of a connection and of its channels are told in any order, at about the same time. */
const LOSS_TOLD_WITHIN_MS = 500;

/** One `stalltrace-agent send`: frames of one file, asked for in a row. */
export class FrameChannel {
  readonly identity: FileIdentity;
  private readonly agent: AgentChannel;
  private readonly transport: Transport;
  private readonly reader: ByteReader;
  private readonly heard: { silentS: number };
  private readonly asked: { readonly offset: number; readonly length: number }[] = [];
  private readonly ticking: NodeJS.Timeout;
  private idle: Promise<boolean> | undefined;
  private isReading = false;
  private isClosed = false;
  private lastEndMs: number | undefined;
  private wrong: Failure<ChannelError> | undefined;

  constructor(opened: Opened, identity: FileIdentity) {
    this.identity = identity;
    this.agent = opened.agent;
    this.transport = opened.transport;
    this.reader = opened.reader;
    this.heard = opened.heard;
    // Counted in ticks: a computer that slept has not listened.
    this.ticking = setInterval(() => this.tick(), 1000);
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
      return this.fault('It answered with something else than was asked for.');
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
    for (;;) {
      const line = await this.line();
      if (!line.ok) return line;
      const said = line.value;
      if (said.event === 'hash' && said.bytes === this.identity.bytes) return ok(said.sha256);
      if (said.event !== 'hashing')
        return this.fault('It answered with something else than the hash it was asked for.');
    }
  }

  /** While nothing is asked for: settles when the agent says something all the same, or ends. */
  async speaks(): Promise<void> {
    this.idle ??= this.reader.waits();
    await this.idle;
  }

  /** Gives up with this sentence, whatever comes. */
  fault(message: string): Result<never, ChannelError> {
    this.wrong ??= { code: 'agent-failed', message: agentSaid(message) };
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
      return line.error.code === 'ended' ? this.ended() : this.fault(line.error.message);
    const said = parseSendLine(line.value);
    if (!said.ok) return this.fault(said.error.message);
    return said.value.event === 'error' ? this.refused(said.value) : ok(said.value);
  }

  private refused(said: ErrorLine): Result<never, ChannelError> {
    const error = refusal(said);
    this.wrong ??= error;
    this.close();
    return { ok: false, error };
  }

  private async ended(): Promise<Result<never, ChannelError>> {
    clearInterval(this.ticking);
    this.isReading = false;
    if (this.wrong !== undefined) return { ok: false, error: this.wrong };
    if (this.isClosed) return cancelled();
    return howItEnded(this.agent, this.transport);
  }

  private tick(): void {
    if (this.isReading) this.heard.silentS++;
    else this.heard.silentS = 0;
    if (this.heard.silentS < SILENT_S) return;
    const message = `The agent on the host has sent nothing for ${SILENT_S} s: see whether the host is overloaded or its disk hangs, then bring the trace back again; what is here is kept.`;
    this.wrong ??= { code: 'timed-out', message };
    this.close();
  }
}

type ErrorLine = Extract<SendLine, { event: 'error' }>;

interface Opened {
  readonly agent: AgentChannel;
  readonly transport: Transport;
  readonly reader: ByteReader;
  readonly heard: { silentS: number };
}

/** Opens a channel to the trace, once there is a connection. `onBytes` hears of all that crosses the wire. */
export async function openFrameChannel(
  host: TraceHost,
  trace: RemoteTrace,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<Result<FrameChannel, ChannelError>> {
  const transport = await host.link.transport(signal);
  if (!transport.ok) {
    const { code, message, detail } = transport.error;
    return fail(code === 'cancelled' ? code : 'not-connected', message, detail);
  }
  const limit = AbortSignal.timeout(OPEN_MS);
  const opened = await host.openAgent(['send', '--file', trace.path], {
    asRoot: trace.asRoot,
    signal: AbortSignal.any([signal, limit]),
    whenFull: 'fail',
  });
  if (!opened.ok)
    return opened.error.code === 'cancelled'
      ? notOpened(signal)
      : (opened as Result<never, HostError>);
  return greet(opened.value, transport.value, onBytes, signal);
}

async function greet(
  agent: AgentChannel,
  transport: Transport,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<Result<FrameChannel, ChannelError>> {
  // What breaks on the way is told by the end of the output.
  for (const stream of [agent.stdin, agent.stdout]) stream.on('error', () => undefined);
  const heard = { silentS: 0 };
  const reader = new ByteReader(agent.stdout, (count) => {
    heard.silentS = 0;
    onBytes(count);
  });
  const close = () => agent.close();
  const late = setTimeout(close, OPEN_MS);
  signal.addEventListener('abort', close, { once: true });
  const line = await reader.line(LONGEST_LINE_BYTES);
  clearTimeout(late);
  signal.removeEventListener('abort', close);
  if (line.ok) {
    const said = parseSendLine(line.value);
    if (said.ok && said.value.event === 'ready') {
      const { bytes, inode, modified_unix_ns: modifiedUnixNs } = said.value;
      const identity = { bytes, inode, modifiedUnixNs };
      return ok(new FrameChannel({ agent, transport, reader, heard }, identity));
    }
    if (said.ok && said.value.event === 'error') return notServed(agent, reader, said.value);
    agent.close();
    return fail('agent-failed', agentSaid('It answered with something else than its greeting.'));
  }
  agent.close();
  if (signal.aborted) return cancelled();
  return howItEnded(agent, transport);
}

/** The file can't be sent at all. */
async function notServed(
  agent: AgentChannel,
  reader: ByteReader,
  { message }: ErrorLine,
): Promise<Result<never, ChannelError>> {
  // It settles after the end of the output, which is not seen before it is read.
  void reader.waits();
  const exit = await within(agent.exit, LOSS_TOLD_WITHIN_MS);
  agent.close();
  if (exit?.code === NO_FILE)
    return fail(
      'trace-gone',
      `The trace is not on the host any more. ${message} Take the capture off the list, or make a new one.`,
    );
  return fail('no-permission', agentSaid(message));
}

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
async function howItEnded(
  agent: AgentChannel,
  transport: Transport,
): Promise<Result<never, ChannelError>> {
  const lost = await within(transport.ended, LOSS_TOLD_WITHIN_MS);
  if (lost !== undefined) return fail('link-lost', 'The connection to the host was lost.');
  const exit = await within(agent.exit, LOSS_TOLD_WITHIN_MS);
  const how =
    exit?.signal !== undefined ? `by signal ${exit.signal}` : `with exit code ${exit?.code ?? '–'}`;
  return fail('agent-failed', agentSaid(`It ended ${how} in the middle.`), agent.stderrTail());
}

function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return Promise.race([promise, sleep(ms, undefined, { ref: false })]);
}

function agentSaid(sentence: string): string {
  return `The agent on the host could not send the trace. ${sentence} Bring it back again; what is here is kept.`;
}

function notOpened(signal: AbortSignal): Result<never, ChannelError> {
  if (signal.aborted) return cancelled();
  const message = `The agent did not start on the host within ${OPEN_MS / 1000} s: see whether the host is overloaded, then bring the trace back again.`;
  return fail('timed-out', message);
}

export function cancelled(): Result<never, 'cancelled'> {
  return fail('cancelled', 'Bringing the trace back was cancelled; what is here is kept.');
}
