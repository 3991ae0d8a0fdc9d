import { connect, createServer, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/**
 * The process behind `slow-link.ts`: passes bytes on, as late and as slowly as it is told. Its
 * delay is a queue, not a wait, so it takes nothing from the throughput.
 */

export interface LinkSettings {
  readonly oneWayDelayMs: number;
  /** Each way, in all connections together; absent: as fast as it goes. */
  readonly bytesPerSecond?: number;
}

export type LinkOrder =
  | { readonly kind: 'set'; readonly settings: LinkSettings }
  /** `rst`, `fin`: how both ends see every connection at hand end. */
  | { readonly kind: 'cut'; readonly how: 'rst' | 'fin' }
  /** Nothing passes and nobody is told, as when a cable is pulled. */
  | { readonly kind: 'freeze' }
  | { readonly kind: 'thaw' }
  /** Whether connections are taken from now on; else they are refused. */
  | { readonly kind: 'listen'; readonly on: boolean };

export interface LinkStart {
  readonly host: string;
  readonly toHost: string;
  readonly toPort: number;
  readonly settings: LinkSettings;
}

export type LinkReport =
  | { readonly kind: 'port'; readonly port: number }
  /** In answer to each order, once it is in force. */
  | { readonly kind: 'done'; readonly up: number; readonly down: number; readonly open: number };

/** What is under way each way at most: far beyond what any delay used here needs. */
const QUEUE_BYTES = 64 * 1024 ** 2;
const RATE_BUFFER_S = 0.1;

let settings: LinkSettings = { oneWayDelayMs: 0 };
let frozen = false;
const passed = { up: 0, down: 0 };
/** When the link is free again, each way: connections share it. */
const freeAtMs = { up: 0, down: 0 };
type Way = keyof typeof passed;

/** One way of one connection: bytes in the order they came, each with the time it arrives. */
class Lane {
  private readonly queue: { readonly bytes: Buffer | 'end'; readonly dueMs: number }[] = [];
  private queuedBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private waitsForDrain = false;

  private readonly from: Socket;
  private readonly to: Socket;
  private readonly way: Way;

  constructor(from: Socket, to: Socket, way: Way) {
    this.from = from;
    this.to = to;
    this.way = way;
    from.on('data', (bytes) => this.enqueue(bytes as Buffer, bytes.length));
    from.on('end', () => this.enqueue('end', 0));
    to.on('drain', () => {
      this.waitsForDrain = false;
      this.pump();
    });
  }

  /** What may be under way: as much as fits the delay, and a router's buffer. */
  private get most(): number {
    const { bytesPerSecond: rate, oneWayDelayMs } = settings;
    if (rate === undefined) return QUEUE_BYTES;
    return Math.min(QUEUE_BYTES, rate * (RATE_BUFFER_S + oneWayDelayMs / 1000) + 65_536);
  }

  private enqueue(bytes: Buffer | 'end', length: number): void {
    const now = performance.now();
    const rate = settings.bytesPerSecond;
    if (rate !== undefined)
      freeAtMs[this.way] = Math.max(freeAtMs[this.way], now) + (length / rate) * 1000;
    const sentMs = rate === undefined ? now : freeAtMs[this.way];
    this.queue.push({ bytes, dueMs: sentMs + settings.oneWayDelayMs });
    this.queuedBytes += length;
    this.pump();
  }

  pump(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (frozen) {
      this.from.pause();
      return;
    }
    const now = performance.now();
    while (!this.waitsForDrain) {
      const [next] = this.queue;
      if (next === undefined) break;
      if (next.dueMs > now) {
        this.timer = setTimeout(() => this.pump(), Math.max(0, next.dueMs - now - 0.5));
        break;
      }
      this.queue.shift();
      this.deliver(next.bytes);
    }
    if (this.queuedBytes > this.most) this.from.pause();
    else this.from.resume();
  }

  private deliver(bytes: Buffer | 'end'): void {
    if (bytes === 'end') {
      this.to.end();
      return;
    }
    this.queuedBytes -= bytes.length;
    passed[this.way] += bytes.length;
    this.waitsForDrain = !this.to.write(bytes);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  readonly lanes: readonly [Lane, Lane];
}
const connections = new Set<Connection>();

function join(near: Socket, { toHost, toPort }: LinkStart): void {
  const far = connect({ host: toHost, port: toPort, noDelay: true, allowHalfOpen: true });
  near.setNoDelay(true);
  const lanes = [new Lane(near, far, 'up'), new Lane(far, near, 'down')] as const;
  const connection = { near, far, lanes };
  connections.add(connection);
  const over = () => {
    if (!connections.delete(connection)) return;
    for (const lane of lanes) lane.close();
    near.destroy();
    far.destroy();
  };
  let closed = 0;
  for (const socket of [near, far]) {
    socket.on('error', over);
    socket.on('close', () => {
      closed++;
      if (closed === 2) over();
    });
  }
}

function obey(order: LinkOrder, server: Server, start: LinkStart, done: () => void): void {
  switch (order.kind) {
    case 'set':
      settings = order.settings;
      done();
      return;
    case 'cut':
      for (const { near, far, lanes } of connections) {
        for (const lane of lanes) lane.close();
        for (const socket of [near, far])
          if (order.how === 'rst') socket.resetAndDestroy();
          else socket.destroy();
      }
      connections.clear();
      done();
      return;
    case 'freeze':
    case 'thaw':
      frozen = order.kind === 'freeze';
      for (const { lanes } of connections) for (const lane of lanes) lane.pump();
      done();
      return;
    case 'listen':
      if (!order.on) server.close();
      if (order.on && !server.listening) {
        server.listen(port, start.host, done);
        return;
      }
      done();
  }
}

let port = 0;

function run(start: LinkStart): void {
  settings = start.settings;
  const server = createServer({ allowHalfOpen: true }, (near) => join(near, start));
  const report = (said: LinkReport) => process.send?.(said);
  server.listen(0, start.host, () => {
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    report({ kind: 'port', port });
  });
  process.on('message', (order: LinkOrder) =>
    obey(order, server, start, () => report({ kind: 'done', ...passed, open: connections.size })),
  );
}

process.once('message', (start: LinkStart) => run(start));
process.on('disconnect', () => process.exit(0));
