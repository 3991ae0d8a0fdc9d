import type { RemoteAnswer } from '../../shared/remote/questions.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Ask, Question } from '../link/ask.ts';
import type { Credentials } from '../sign-in/credentials.ts';
import { SignInSecrets } from '../sign-in/sign-in-secrets.ts';
import { hostAddress } from '../transport/host-address.ts';
import { readPrompt, type SshPrompt } from './prompt.ts';

export interface AnswersOptions {
  readonly host: ResolvedHost;
  readonly credentials: Credentials;
  readonly ask?: Ask;
  readonly signal: AbortSignal;
}

/** Why a question of ssh stays without an answer. */
export type Refusal = 'host-key' | 'secret' | 'needs-person';

/** Answers what ssh asks for a host and the hops before it: from memory once, else a person does. */
export class SshAnswers {
  refusal: Refusal | undefined;
  /** Fingerprints of keys that are trusted this time only. */
  readonly once = new Set<string>();
  readonly #options: AnswersOptions;
  readonly #hosts: readonly ResolvedHost[];
  readonly #secrets = new Map<ResolvedHost, SignInSecrets>();
  readonly #passwordGiven = new Set<ResolvedHost>();
  readonly #passphrases = new Map<string, number>();
  #signal: AbortSignal;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#hosts = [...options.host.jumps, options.host];
    this.#signal = options.signal;
  }

  /** Undefined: no answer, and `refusal` says why. */
  async answer(hint: string, prompt: string, gone: AbortSignal): Promise<string | undefined> {
    this.#signal = AbortSignal.any([this.#options.signal, gone]);
    const read = readPrompt(hint, prompt);
    switch (read.kind) {
      case 'host-key':
        return this.#hostKey(read);
      case 'passphrase':
        return this.#passphrase(read.keyFile);
      case 'password':
        return this.#password(read.account);
      case 'touch':
        await this.#ask({ ...this.#prompts(this.#options.host, read.text), prompts: [] });
        return undefined;
      case 'text':
        return this.#text(read);
    }
  }

  async #hostKey({
    name,
    key,
    alsoKnownAs,
  }: Extract<SshPrompt, { kind: 'host-key' }>): Promise<string | undefined> {
    const host = this.#hosts.find(({ keyName }) => keyName.toLowerCase() === name.toLowerCase());
    if (host !== undefined && this.#options.credentials.trustsFingerprint(host, key.fingerprint)) {
      this.once.add(key.fingerprint);
      return 'yes';
    }
    const answer = await this.#ask({
      kind: 'host-key',
      host: host === undefined ? cleanText(name, 300) : hostAddress(host),
      key,
      alsoKnownAs,
    });
    if (answer?.kind !== 'trust') {
      this.refusal = 'host-key';
      return undefined;
    }
    if (answer.once) this.once.add(key.fingerprint);
    return 'yes';
  }

  async #password(account: string): Promise<string | undefined> {
    const host = this.#hostOf(account);
    return host === undefined
      ? this.#askStranger(account, `${account}'s password:`)
      : this.#passwordOf(host);
  }

  async #passwordOf(host: ResolvedHost): Promise<string | undefined> {
    const secrets = this.#secretsOf(host);
    // Asked again: the one before was not taken.
    if (this.#passwordGiven.has(host)) secrets.passwordRefused();
    this.#passwordGiven.add(host);
    return this.#orRefuse(secrets, await secrets.password());
  }

  async #text({
    account,
    text,
  }: Extract<SshPrompt, { kind: 'text' }>): Promise<string | undefined> {
    const host = this.#hostOf(account);
    if (host === undefined) return this.#askStranger(account, text);
    if (/^\s*password(?: for \S+)?\s*:?\s*$/i.test(text)) return this.#passwordOf(host);
    const secrets = this.#secretsOf(host);
    const answers = await secrets.answers('', '', [{ prompt: text, echo: false }]);
    return this.#orRefuse(secrets, answers?.[0]);
  }

  /**
   * Of a host that we don't know of, such as one that a ProxyCommand goes through by an ssh of its own:
   * a person answers, and nothing that was given for another host does.
   */
  async #askStranger(account: string | undefined, text: string): Promise<string | undefined> {
    const answer = await this.#ask({
      kind: 'prompts',
      host: cleanText(account ?? `ssh ${this.#options.host.name}`, 300),
      name: '',
      instruction: '',
      prompts: [{ text, echo: false }],
    });
    const given = answer?.kind === 'texts' ? answer.texts[0] : undefined;
    if (given === undefined) this.refusal ??= 'secret';
    return given;
  }

  async #passphrase(written: string): Promise<string | undefined> {
    const { credentials, host } = this.#options;
    // ssh cuts a long path.
    const keyFile =
      this.#hosts
        .flatMap(({ identityFiles }) => identityFiles)
        .find((file) => file.startsWith(written)) ?? written;
    const attempt = (this.#passphrases.get(keyFile) ?? 0) + 1;
    this.#passphrases.set(keyFile, attempt);
    const kept = credentials.passphrase(keyFile);
    if (kept !== undefined && attempt === 1) return kept;
    credentials.keepPassphrase(keyFile, undefined);
    const question = { kind: 'passphrase', host: hostAddress(host), keyFile, attempt } as const;
    const answer = await this.#ask(question);
    const text = answer?.kind === 'texts' ? answer.texts[0] : undefined;
    if (text === undefined) this.refusal ??= 'secret';
    else credentials.keepPassphrase(keyFile, text);
    return text;
  }

  #orRefuse(secrets: SignInSecrets, text: string | undefined): string | undefined {
    if (text === undefined) this.refusal ??= secrets.needsPerson ? 'needs-person' : 'secret';
    return text;
  }

  #secretsOf(host: ResolvedHost): SignInSecrets {
    const known = this.#secrets.get(host);
    if (known !== undefined) return known;
    const { ask, credentials } = this.#options;
    const secrets = new SignInSecrets({
      host,
      credentials,
      ask: ask === undefined ? undefined : (question) => ask(question, this.#signal),
    });
    this.#secrets.set(host, secrets);
    return secrets;
  }

  /**
   * Of `user@host`, where ssh writes the host's name or its alias; before OpenSSH 8.5 it said neither of
   * prompts: they are the target's where there is nobody else.
   */
  #hostOf(account: string | undefined): ResolvedHost | undefined {
    const { host: target } = this.#options;
    if (account === undefined) return target.jumps.length === 0 ? target : undefined;
    const at = account.lastIndexOf('@');
    const [user, name] = [account.slice(0, at), account.slice(at + 1).toLowerCase()];
    return this.#hosts.find(
      (host) => host.user === user && [host.hostName, host.keyName.toLowerCase()].includes(name),
    );
  }

  #prompts(host: ResolvedHost, instruction: string): Extract<Question, { kind: 'prompts' }> {
    return { kind: 'prompts', host: hostAddress(host), name: '', instruction, prompts: [] };
  }

  async #ask(question: Question): Promise<RemoteAnswer | undefined> {
    if (this.#options.ask === undefined) {
      this.refusal = question.kind === 'host-key' ? 'host-key' : 'needs-person';
      return undefined;
    }
    return this.#options.ask(question, this.#signal);
  }
}
