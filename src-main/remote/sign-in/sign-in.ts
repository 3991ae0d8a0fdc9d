import type { AnyAuthMethod } from 'ssh2';
import type { ResolvedHost } from '../config/resolved-host.ts';
import { OneKeyAgent } from './one-key-agent.ts';
import { collectKeys, type SignInKeys } from './sign-in-keys.ts';
import { MOST_QUESTIONS, type SignInSecrets } from './sign-in-secrets.ts';

/** As OpenSSH; what that can do beyond (GSSAPI, host based) ssh2 can't. */
const METHODS = ['publickey', 'keyboard-interactive', 'password'] as const;
type Method = (typeof METHODS)[number];

const MOST_ATTEMPTS = 60;
const MOST_ROUNDS = 16;

export interface SignInOptions {
  readonly host: ResolvedHost;
  readonly secrets: SignInSecrets;
  readonly signal: AbortSignal;
  /** Goes on with ssh2 after something took its time. */
  readonly proceed: (step: () => void) => void;
  /** Prompts can't be answered: nothing but ending the connection takes them back. */
  readonly giveUp: () => void;
}

/** One try, as ssh2 wants it, and how it is called in sentences. */
interface Attempt {
  readonly name: string;
  readonly method: AnyAuthMethod;
}

/** What was tried, and what there is to say about it. */
export interface SignInAccount {
  /** By the server, at last. */
  readonly allowed: readonly string[];
  readonly tried: readonly string[];
  /** Taken, but not enough alone. */
  readonly accepted: readonly string[];
  readonly keys: SignInKeys;
}

/**
 * The attempts to sign in to one host, in order. Each is made when the one before has failed, or was
 * not enough alone (`answered`). Nothing is ever tried twice by itself.
 */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #user: string;
  #keys: SignInKeys = { keys: [], problems: [], notes: [] };
  #allowed: readonly string[] = [];
  #partial = false;
  #last: Attempt | undefined;
  #passwordSent = false;
  readonly #tried: string[] = [];
  readonly #accepted: string[] = [];
  readonly attempts: AsyncGenerator<AnyAuthMethod, void, void>;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#user = options.host.user;
    this.attempts = this.#run();
  }

  /** What the server said to the last attempt: what it allows now, and whether it wants more. */
  answered(allowed: readonly string[], partial: boolean): void {
    this.#allowed = allowed;
    this.#partial = partial;
    if (partial && this.#last !== undefined) this.#accepted.push(this.#last.name);
    if (this.#passwordSent && !partial) this.#options.secrets.passwordRefused();
  }

  get account(): SignInAccount {
    const [allowed, tried, accepted] = [this.#allowed, this.#tried, this.#accepted];
    return { allowed, tried, accepted, keys: this.#keys };
  }

  /** The methods that let the user in: the last one, and those that were not enough alone. */
  get signedInWith(): string {
    return [...this.#accepted, this.#last?.name ?? 'none'].join(' and ');
  }

  async *#run(): AsyncGenerator<AnyAuthMethod, void, void> {
    yield { type: 'none', username: this.#user };
    let left = this.#methods();
    for (let made = 0; made < MOST_ATTEMPTS; made++) {
      const attempt = await this.#next(left);
      if (attempt === undefined) return;
      this.#last = attempt;
      this.#passwordSent = attempt.method.type === 'password';
      this.#tried.push(attempt.name);
      yield attempt.method;
      if (this.#partial) left = this.#methods();
    }
  }

  /** Of the methods that the server allows now, the first that still has an attempt to make. */
  async #next(
    left: readonly (readonly [Method, AsyncGenerator<Attempt, void, void>])[],
  ): Promise<Attempt | undefined> {
    for (const [method, attempts] of left) {
      if (!this.#allowed.includes(method)) continue;
      const { value } = await attempts.next();
      if (this.#options.secrets.cancelled) return undefined;
      if (value) return value;
    }
    return undefined;
  }

  #methods(): (readonly [Method, AsyncGenerator<Attempt, void, void>])[] {
    const attempts = {
      publickey: () => this.#withKeys(),
      'keyboard-interactive': () => this.#withPrompts(),
      password: () => this.#withPassword(),
    };
    const preferred = this.#options.host.preferredAuthentications ?? METHODS;
    const methods = preferred.flatMap((name) => METHODS.filter((method) => method === name));
    return methods.map((method) => [method, attempts[method]()]);
  }

  async *#withKeys(): AsyncGenerator<Attempt, void, void> {
    const { host, secrets, signal } = this.#options;
    this.#keys = await collectKeys(host, (file) => secrets.unlock(file), signal);
    for (const key of this.#keys.keys) {
      const name = `publickey (${key.label})`;
      const agent = new OneKeyAgent(key, this.#options.proceed);
      // What was accepted already is not taken for the second key that some servers want.
      if (!this.#accepted.includes(name))
        yield { name, method: { type: 'agent', username: this.#user, agent } };
    }
  }

  async *#withPassword(): AsyncGenerator<Attempt, void, void> {
    const name = 'password';
    for (;;) {
      const password = await this.#options.secrets.password();
      if (password === undefined) return;
      yield { name, method: { type: name, username: this.#user, password } };
    }
  }

  async *#withPrompts(): AsyncGenerator<Attempt, void, void> {
    const name = 'keyboard-interactive';
    for (let attempt = 0; attempt < MOST_QUESTIONS; attempt++) {
      let rounds = 0;
      yield {
        name,
        method: {
          type: name,
          username: this.#user,
          prompt: (title, instruction, _language, prompts, finish) => {
            rounds++;
            void this.#answer(rounds, () =>
              this.#options.secrets.answers(title, instruction, prompts),
            ).then((texts) => texts && this.#options.proceed(() => finish(texts)));
          },
        },
      };
      // The server had nothing to ask, or nobody is there to answer anything else.
      if (rounds === 0 || !this.#options.secrets.canAsk) return;
    }
  }

  async #answer(
    rounds: number,
    answers: () => Promise<string[] | undefined>,
  ): Promise<string[] | undefined> {
    // Whoever asks, it was not the password method: but its password is refused with it.
    this.#passwordSent = true;
    const texts = rounds > MOST_ROUNDS ? undefined : await answers();
    if (texts === undefined) this.#options.giveUp();
    return texts;
  }
}
