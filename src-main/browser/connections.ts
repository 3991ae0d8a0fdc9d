import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A browser waits for one answer before it asks again; who doesn't wants to fill the memory. */
const MAX_ANSWERS_AT_ONCE = 4;

/**
 * The connections that have not shown the secret yet, which any user of the machine can make. Their
 * number is limited: one more drops the oldest of those that wait for nothing, else the oldest.
 * Those of the page are not counted once they showed the secret, so that it always gets in.
 */
export class Connections {
  readonly #atMost: number;
  /** Oldest first. */
  readonly #unproved = new Set<Socket>();
  readonly #answering = new WeakMap<Socket, number>();

  constructor(server: Server, atMost: number) {
    this.#atMost = atMost;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Its peer has shown the secret. */
  prove(socket: Socket): void {
    this.#unproved.delete(socket);
  }

  /** A request is being answered. False where the peer has too many under way: it is cut off. */
  answer(socket: Socket, response: ServerResponse): boolean {
    const count = (this.#answering.get(socket) ?? 0) + 1;
    this.#answering.set(socket, count);
    response.on('close', () => {
      this.#answering.set(socket, (this.#answering.get(socket) ?? 1) - 1);
    });
    if (count <= MAX_ANSWERS_AT_ONCE) return true;
    socket.destroy();
    return false;
  }

  #add(socket: Socket): void {
    if (this.#unproved.size >= this.#atMost) this.#dropOne();
    this.#unproved.add(socket);
    socket.on('close', () => this.#unproved.delete(socket));
  }

  #dropOne(): void {
    const all = [...this.#unproved];
    const victim = all.find((socket) => (this.#answering.get(socket) ?? 0) === 0) ?? all[0];
    if (victim === undefined) return;
    this.#unproved.delete(victim);
    victim.destroy();
  }
}
