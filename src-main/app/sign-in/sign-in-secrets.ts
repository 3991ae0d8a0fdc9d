import type { ConnectedHost } from '../../shared/remote/connection.ts';
import type { RemoteAnswer, RemoteQuestion } from '../../shared/remote/questions.ts';
import type { KeptSecret } from '../../shared/remote/secret-store.ts';
import type { KeptSecrets } from './kept-secrets.ts';

type SecretQuestion = Extract<RemoteQuestion, { kind: 'password' | 'passphrase' }>;

/** One attempt to sign in, from `remote.connect` to its result. */
interface Attempt {
  /** Questions that a person was asked, by id. */
  readonly asked: Map<string, SecretQuestion>;
  /** What a person wants kept, if it proves right; by account. */
  readonly toKeep: Map<string, { readonly secret: KeptSecret; readonly text: string }>;
  /** Kept secrets that answered a question of this attempt; by account and the host that asked. */
  readonly offered: Map<string, { readonly secret: KeptSecret; readonly host: string }>;
  /** Hosts that went on asking after they had a password: it was right. */
  readonly passwordTaken: Set<string>;
}

const NEVER_SUDO = 'A sudo password is never kept: it is forgotten when the connection ends.';

/**
 * Answers questions with what is kept, and keeps what has proved right and the user wants kept. Each
 * is offered once an attempt, and dropped when it was wrong: a server counts failures.
 */
export class SignInSecrets {
  readonly #kept: KeptSecrets;
  readonly #answer: (question: string, answer: RemoteAnswer) => Promise<unknown>;
  readonly #attempts = new Map<string, Attempt>();

  /** `answer` is the `answer` call of the process that asks. */
  constructor(
    kept: KeptSecrets,
    answer: (question: string, answer: RemoteAnswer) => Promise<unknown>,
  ) {
    this.#kept = kept;
    this.#answer = answer;
  }

  begin(connection: string): void {
    this.#attempts.set(connection, {
      asked: new Map(),
      toKeep: new Map(),
      offered: new Map(),
      passwordTaken: new Set(),
    });
  }

  /** The question as a person is asked it; undefined where it was answered here. */
  async question(question: RemoteQuestion): Promise<RemoteQuestion | undefined> {
    const attempt = this.#attempts.get(question.connection);
    if (question.kind === 'prompts') attempt?.passwordTaken.add(question.host);
    if (question.kind === 'sudo-password')
      return { ...question, keeping: { possible: false, why: NEVER_SUDO } };
    if (question.kind !== 'password' && question.kind !== 'passphrase') return question;
    if (attempt !== undefined && (await this.#answeredWithKept(question, attempt)))
      return undefined;
    attempt?.asked.set(question.id, question);
    return { ...question, keeping: await this.#kept.keeping() };
  }

  /** A person's answer that was taken. */
  answered(questionId: string, answer: RemoteAnswer): void {
    for (const attempt of this.#attempts.values()) {
      const question = attempt.asked.get(questionId);
      if (question === undefined) continue;
      attempt.asked.delete(questionId);
      const secret = secretOf(question);
      const [text = ''] = answer.kind === 'texts' ? answer.texts : [];
      if (answer.kind === 'texts' && answer.remember && text !== '')
        attempt.toKeep.set(keyOf(secret), { secret, text });
      else attempt.toKeep.delete(keyOf(secret));
    }
  }

  async connected({ connection, address }: ConnectedHost): Promise<void> {
    const attempt = this.#end(connection);
    for (const { secret } of attempt?.offered.values() ?? [])
      await this.#kept.noteUse(secret, address);
    for (const { secret, text } of attempt?.toKeep.values() ?? [])
      await this.#kept.keep(secret, text, address);
  }

  /** `refused`: the server said no, so that a password which was offered last was wrong. */
  async failed(connection: string, refused: boolean): Promise<void> {
    const attempt = this.#end(connection);
    if (attempt === undefined || !refused) return;
    for (const { secret, host } of attempt.offered.values()) {
      if (secret.kind === 'password' && !attempt.passwordTaken.has(host))
        await this.#kept.drop(secret);
    }
  }

  async #answeredWithKept(question: SecretQuestion, attempt: Attempt): Promise<boolean> {
    const secret = secretOf(question);
    // One key may open several hops: each may ask once.
    const key = `${keyOf(secret)} ${question.host}`;
    if (attempt.offered.delete(key)) {
      await this.#kept.drop(secret);
      return false;
    }
    if (question.attempt > 1) return false;
    const text = await this.#kept.open(secret);
    if (text === undefined) return false;
    attempt.offered.set(key, { secret, host: question.host });
    await this.#answer(question.id, { kind: 'texts', texts: [text], remember: false });
    return true;
  }

  #end(connection: string): Attempt | undefined {
    const attempt = this.#attempts.get(connection);
    this.#attempts.delete(connection);
    return attempt;
  }
}

function secretOf(question: SecretQuestion): KeptSecret {
  return question.kind === 'password'
    ? { kind: 'password', account: question.host }
    : { kind: 'passphrase', account: question.keyFile };
}

function keyOf({ kind, account }: KeptSecret): string {
  return `${kind} ${account}`;
}
