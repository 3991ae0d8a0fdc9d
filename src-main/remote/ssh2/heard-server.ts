import type { Duplex } from 'node:stream';
import { describeThrown, fail } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { type Failed, noCommonAlgorithm, notSsh } from '../transport/connect-failures.ts';

const FIRST_BYTES = 256;

/** What a server said before it was signed in to: what its end of the connection then means. */
export class HeardServer {
  readonly #offers = new Map<string, string>();
  #handshaken = false;
  #firstBytes = '';
  #software = '';

  /** The name and version it gave itself, cleaned. */
  get software(): string {
    return this.#software;
  }

  /** Looks on at the first bytes of a socket that another reads. */
  watch(socket: Duplex): void {
    const onData = (chunk: Buffer): void => {
      this.#firstBytes += chunk.toString('latin1', 0, FIRST_BYTES);
      if (this.#firstBytes.length >= 4) socket.off('data', onData);
    };
    socket.on('data', onData);
  }

  /** Until the host's key is known, ssh2 says in its debug lines alone what the server offers. */
  hearDebug(line: string): void {
    if (this.#handshaken) return;
    const offer = /^Handshake: \(remote\) ([^:]+): (.*)$/s.exec(line);
    if (offer?.[1] !== undefined) this.#offers.set(offer[1], offer[2] ?? '');
    const ident = /^Remote ident: '(.*)'$/s.exec(line)?.[1];
    if (ident !== undefined) this.#software = cleanText(ident, 255);
  }

  hearHandshake(): void {
    this.#handshaken = true;
  }

  /** Why the connection ended. `tried`: ways to sign in. */
  failure(where: string, error: unknown, tried: readonly string[]): Failed {
    const words = error === undefined ? '' : cleanText(describeThrown(error), 200);
    if (/no matching/i.test(words)) return noCommonAlgorithm(where, words, this.#offers);
    if (this.#software === '') return notSsh(where, this.#firstBytes);
    if (/too many authentication failures/i.test(words))
      return fail(
        'sign-in-failed',
        `${where} gave up after ${tried.length} attempts (${tried.join(', ')}): choose one key for it and set IdentitiesOnly.`,
      );
    const said = words === '' ? '' : ` It said “${words}”.`;
    const doing = this.#handshaken ? 'while signing in' : 'before the sign-in began';
    return fail('link-lost', `${where} closed the connection ${doing}.${said} Try again.`, words);
  }
}
