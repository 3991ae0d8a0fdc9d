import type { KeyObject } from 'node:crypto';
import type { Prompt } from 'ssh2';
import type { RemoteAnswer } from '../../shared/remote/questions.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Question } from '../link/ask.ts';
import { hostAddress } from '../transport/host-address.ts';
import { cleanPrompt } from './clean-prompt.ts';
import type { Credentials } from './credentials.ts';
import type { KeyFile } from './key-file.ts';

/** As OpenSSH's NumberOfPasswordPrompts. */
export const MOST_QUESTIONS = 3;
/** What an answer may hold (`remoteAnswer`). */
const MOST_PROMPTS = 16;

export interface SecretsOptions {
  readonly host: ResolvedHost;
  readonly credentials: Credentials;
  /** Absent where nobody is to be asked. */
  readonly ask: ((question: Question) => Promise<RemoteAnswer>) | undefined;
}

/** What a person has to give to sign in to one host: from memory once, else asked for. */
export class SignInSecrets {
  readonly #options: SecretsOptions;
  readonly #host: string;
  #passwordQuestions = 0;
  #keptPasswordTried = false;
  #cancelled = false;
  #needsPerson = false;

  constructor(options: SecretsOptions) {
    this.#options = options;
    this.#host = hostAddress(options.host);
  }

  get canAsk(): boolean {
    return this.#options.ask !== undefined;
  }

  /** A person left a question unanswered: that ends it. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Somebody would have had to be asked. */
  get needsPerson(): boolean {
    return this.#needsPerson;
  }

  async password(): Promise<string | undefined> {
    const { credentials, host } = this.#options;
    const kept = credentials.password(host);
    if (kept !== undefined && !this.#keptPasswordTried) {
      this.#keptPasswordTried = true;
      return kept;
    }
    if (this.#passwordQuestions >= MOST_QUESTIONS) return undefined;
    const attempt = ++this.#passwordQuestions;
    const password = await this.#secret({ kind: 'password', host: this.#host, attempt });
    if (password === undefined) return undefined;
    credentials.keepPassword(host, password);
    this.#keptPasswordTried = true;
    return password;
  }

  /** The host did not take it. */
  passwordRefused(): void {
    this.#options.credentials.keepPassword(this.#options.host, undefined);
  }

  /** Decrypts a key; `undefined`: nobody gave the right passphrase. */
  async unlock(file: KeyFile): Promise<KeyObject | undefined> {
    const { credentials } = this.#options;
    const kept = credentials.passphrase(file.path);
    const opened = file.open(file.encrypted ? kept : undefined);
    if (opened.ok) return opened.value;
    if (!file.encrypted) return undefined;
    credentials.keepPassphrase(file.path, undefined);
    for (let attempt = 1; attempt <= MOST_QUESTIONS; attempt++) {
      const question = { kind: 'passphrase', host: this.#host, keyFile: file.path } as const;
      const passphrase = await this.#secret({ ...question, attempt });
      if (passphrase === undefined) return undefined;
      const key = file.open(passphrase);
      if (!key.ok && key.error.code !== 'wrong-passphrase') return undefined;
      if (!key.ok) continue;
      credentials.keepPassphrase(file.path, passphrase);
      return key.value;
    }
    return undefined;
  }

  /** One text for each prompt. A lone question for the password is answered as the password is. */
  async answers(
    name: string,
    instruction: string,
    prompts: readonly Prompt[],
  ): Promise<string[] | undefined> {
    if (prompts.length > MOST_PROMPTS) return undefined;
    if (asksForPassword(prompts)) {
      const password = await this.password();
      return password === undefined ? undefined : [password];
    }
    const texts = await this.#texts({
      kind: 'prompts',
      host: this.#host,
      name: cleanPrompt(name),
      instruction: cleanPrompt(instruction),
      prompts: prompts.map(({ prompt, echo }) => ({
        text: cleanPrompt(prompt),
        echo: echo ?? false,
      })),
    });
    return texts === undefined ? undefined : prompts.map((_, index) => texts[index] ?? '');
  }

  async #secret(question: Question): Promise<string | undefined> {
    const texts = await this.#texts(question);
    return texts === undefined ? undefined : (texts[0] ?? '');
  }

  async #texts(question: Question): Promise<readonly string[] | undefined> {
    if (this.#cancelled) return undefined;
    if (this.#options.ask === undefined) {
      this.#needsPerson = true;
      return undefined;
    }
    const answer = await this.#options.ask(question);
    if (answer.kind === 'texts') return answer.texts;
    this.#cancelled = true;
    return undefined;
  }
}

function asksForPassword(prompts: readonly Prompt[]): boolean {
  const [only] = prompts;
  return (
    prompts.length === 1 &&
    only !== undefined &&
    only.echo !== true &&
    /^\s*(?:\([^)]*\)\s*)?(?:\S+'s )?password(?: for \S+)?\s*:?\s*$/i.test(only.prompt)
  );
}
