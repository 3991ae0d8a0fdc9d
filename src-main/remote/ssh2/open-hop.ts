import type { Duplex } from 'node:stream';
import ssh2, { type AnyAuthMethod, type NextAuthHandler } from 'ssh2';
import type { ConnectError } from '../../shared/remote/connection.ts';
import type { RemoteAnswer } from '../../shared/remote/questions.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Ask, Question } from '../link/ask.ts';
import { checkHostKey } from '../sign-in/check-host-key.ts';
import type { Credentials } from '../sign-in/credentials.ts';
import { SignIn } from '../sign-in/sign-in.ts';
import { signInFailure } from '../sign-in/sign-in-failure.ts';
import { SignInSecrets } from '../sign-in/sign-in-secrets.ts';
import { connectTimeout, type Failed } from '../transport/connect-failures.ts';
import { hostAddress } from '../transport/host-address.ts';
import { describeKey } from '../trust/host-key.ts';
import type { HostTrust } from '../trust/host-trust.ts';
import { HeardServer } from './heard-server.ts';
import { hostKeyAlgorithms } from './host-key-algorithms.ts';
import { observeRefusals } from './observe-refusals.ts';
import { destroy, keepHop, type Ssh2Hop } from './ssh2-hop.ts';

/** For one step of signing in: some servers look names up first, or wait after a wrong password. */
const SIGN_IN_STEP_MS = 60_000;

export interface HopOptions {
  readonly host: ResolvedHost;
  /** How the server is called in sentences. */
  readonly where: string;
  readonly trust: HostTrust;
  readonly credentials: Credentials;
  /** Absent where nobody is to be asked. */
  readonly ask?: Ask;
  readonly signal: AbortSignal;
  readonly keepAliveMs: number;
}

/** `again`: the server did not wait for a person's answer, which is kept for another connection. */
export type OpenedHop = Result<Ssh2Hop, ConnectError | 'cancelled' | 'again'>;

/** Speaks SSH over `socket`: verifies the host's key and signs in. A failure destroys the socket. */
export async function openHop(socket: Duplex, options: HopOptions): Promise<OpenedHop> {
  const knownTypes = await options.trust.keyTypes(options.host);
  const opened = await new HopOpening(socket, options).run(knownTypes);
  if (!opened.ok) destroy(socket);
  return opened;
}

class HopOpening {
  readonly #options: HopOptions;
  readonly #socket: Duplex;
  readonly #client = new ssh2.Client();
  readonly #ask: ((question: Question) => Promise<RemoteAnswer>) | undefined;
  readonly #secrets: SignInSecrets;
  readonly #signIn: SignIn;
  readonly #outcome = Promise.withResolvers<OpenedHop>();
  /** Aborted when the connection is over. */
  readonly #gone = new AbortController();
  readonly #heard = new HeardServer();
  #patience: NodeJS.Timeout | undefined;
  /** A question whose answer is of use for another connection too. */
  #asking = false;
  /** Such an answer was given, and the server has said nothing since. */
  #unheard = false;
  #lost = false;
  #hostKey: Buffer | undefined;

  constructor(socket: Duplex, options: HopOptions) {
    const { host, credentials, signal, ask } = options;
    this.#socket = socket;
    this.#options = options;
    this.#ask = ask && ((question) => this.#askWith(ask, question));
    this.#secrets = new SignInSecrets({ host, credentials, ask: this.#ask });
    this.#signIn = new SignIn({
      host,
      secrets: this.#secrets,
      signal,
      proceed: (step) => this.#proceed(step),
      giveUp: () => this.#fail(this.#signInFailure()),
    });
  }

  async run(knownTypes: readonly string[]): Promise<OpenedHop> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#outcome.resolve(fail('cancelled', 'Cancelled.'));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    this.#connect(knownTypes);
    const outcome = await this.#outcome.promise;
    signal.removeEventListener('abort', onAbort);
    clearTimeout(this.#patience);
    this.#gone.abort();
    return outcome;
  }

  #connect(knownTypes: readonly string[]): void {
    const { host, keepAliveMs } = this.#options;
    this.#client
      .on('error', (error) => this.#onError(error))
      .on('close', () => this.#onClose(undefined))
      .on('ready', () => this.#onReady())
      .on('change password', () => this.#fail(expiredPassword(this.#options.where)))
      .once('handshake', () => this.#heard.hearHandshake());
    this.#wait(host.connectTimeoutMs);
    this.#client.connect({
      sock: this.#socket,
      username: host.user,
      algorithms: { serverHostKey: hostKeyAlgorithms(knownTypes) },
      // Its clock would run while a person thinks.
      readyTimeout: 0,
      keepaliveInterval: keepAliveMs,
      // Who decides whether a host still lives is `watchSignsOfLife`.
      keepaliveCountMax: Number.MAX_SAFE_INTEGER,
      hostVerifier: (key: Buffer, verify: (valid: boolean) => void) =>
        void this.#verify(key, verify),
      authHandler: (_allowed, _partial, next) => void this.#nextAttempt(next),
      debug: (line) => this.#heard.hearDebug(line),
    });
    observeRefusals(this.#client, (allowed, partial) => {
      this.#unheard = false;
      this.#signIn.answered(allowed, partial);
    });
    // ssh2 has paused it: this only looks on as soon as it is read.
    this.#heard.watch(this.#socket);
  }

  async #verify(key: Buffer, verify: (valid: boolean) => void): Promise<void> {
    // Keys are exchanged anew every GB or hour: with the same one.
    if (this.#hostKey !== undefined) {
      verify(key.equals(this.#hostKey));
      return;
    }
    clearTimeout(this.#patience);
    const { host } = this.#options;
    const checked = await checkHostKey(host, key, { ...this.#options, ask: this.#ask });
    if (!checked.ok) {
      this.#outcome.resolve(checked);
      return;
    }
    this.#hostKey = key;
    this.#proceed(() => {
      this.#wait(host.connectTimeoutMs);
      verify(true);
    });
  }

  async #nextAttempt(next: NextAuthHandler): Promise<void> {
    clearTimeout(this.#patience);
    const attempt = await this.#signIn.attempts.next();
    const method: AnyAuthMethod | undefined = attempt.value ?? undefined;
    if (method === undefined) this.#fail(this.#signInFailure());
    else this.#proceed(() => next(method));
  }

  async #askWith(ask: Ask, question: Question): Promise<RemoteAnswer> {
    const { signal } = this.#options;
    clearTimeout(this.#patience);
    // An answer to prompts is for this connection alone.
    if (question.kind === 'prompts')
      return ask(question, AbortSignal.any([signal, this.#gone.signal]));
    this.#asking = true;
    const answer = await ask(question, signal);
    this.#asking = false;
    this.#unheard = true;
    return answer;
  }

  /** Goes on with ssh2 after something took its time: the connection may have ended meanwhile. */
  #proceed(step: () => void): void {
    if (this.#lost) {
      this.#connectAgain();
      return;
    }
    if (this.#gone.signal.aborted) return;
    this.#wait(SIGN_IN_STEP_MS);
    try {
      step();
    } catch (error) {
      // ssh2 throws where its socket has ended and says so an instant later.
      this.#onClose(error);
    }
  }

  #wait(timeoutMs: number): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(
      () => this.#fail(connectTimeout(this.#options.where, timeoutMs)),
      timeoutMs,
    );
  }

  #onReady(): void {
    const { host, keepAliveMs } = this.#options;
    if (this.#hostKey === undefined) throw new Error('signed in to a host that was not verified');
    if (this.#gone.signal.aborted) return;
    const facts = {
      address: hostAddress(host),
      hostKey: describeKey(this.#hostKey),
      signedInWith: this.#signIn.signedInWith,
      software: this.#heard.software,
    };
    const parts = { client: this.#client, socket: this.#socket, keepAliveMs };
    this.#outcome.resolve(ok(keepHop(parts, facts)));
  }

  #onError(error: Error & { level?: string }): void {
    // A key that did not sign: the next attempt follows.
    if (error.level === 'agent' || error.level === 'client-authentication') return;
    this.#onClose(error);
  }

  #onClose(error: unknown): void {
    if (this.#asking) this.#lost = true;
    else if (this.#unheard && neverRead(error)) this.#connectAgain();
    else this.#fail(this.#heard.failure(this.#options.where, error, this.#signIn.account.tried));
  }

  #connectAgain(): void {
    this.#outcome.resolve(fail('again', 'The host did not wait for the answer.'));
  }

  #fail(failed: Failed): void {
    this.#outcome.resolve(failed);
  }

  #signInFailure(): Failed {
    return signInFailure(this.#options.where, this.#signIn.account, this.#secrets);
  }
}

/** A connection is reset where its other end closed without reading what was sent; who reads, and then closes, ends it. */
function neverRead(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

function expiredPassword(where: string): Failed {
  return fail(
    'sign-in-failed',
    `${where} wants a new password, since yours has expired: change it by ssh in a terminal.`,
  );
}
