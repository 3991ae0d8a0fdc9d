import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { SshFolder } from './folder.ts';

/** Answers a question of ssh; undefined where it is not answered: then ssh has to be ended. */
export type Answer = (
  hint: string,
  prompt: string,
  signal: AbortSignal,
) => Promise<string | undefined>;

interface Pending {
  readonly gone: AbortController;
  /** Undefined while somebody thinks. */
  text?: string;
}

/**
 * The questions that the askpass script of a folder brings, and their answers. `look` has to be called
 * now and then.
 */
export class AskpassDesk {
  /** A question was not answered. */
  refused = false;
  readonly #folder: SshFolder;
  readonly #answer: Answer;
  readonly #pending = new Map<string, Pending>();

  constructor(folder: SshFolder, answer: Answer) {
    this.#folder = folder;
    this.#answer = answer;
  }

  /** Whether somebody thinks about an answer. */
  get busy(): boolean {
    return this.#pending.size > 0;
  }

  look(): void {
    for (const name of readdirSync(this.#folder.path)) {
      const question = /^(q\.\d+)\.(ask|gone)$/.exec(name);
      if (question?.[2] === 'ask') this.#take(question[1] ?? '');
      else if (question?.[2] === 'gone') this.#drop(question[1] ?? '');
    }
    for (const [id, { text }] of this.#pending) {
      if (text !== undefined && this.#send(id, text)) this.#pending.delete(id);
    }
  }

  /** Withdraws what is still being asked; to be called again once ssh has ended. */
  close(): void {
    for (const { gone } of this.#pending.values()) gone.abort();
    this.#pending.clear();
    for (const name of readdirSync(this.#folder.path)) {
      if (name.startsWith('q.')) rmSync(this.#folder.file(name), { force: true });
    }
  }

  #take(id: string): void {
    const file = this.#folder.file(`${id}.ask`);
    const [hint = '', ...prompt] = readFileSync(file, 'utf8').split('\n');
    rmSync(file);
    const pending: Pending = { gone: new AbortController() };
    this.#pending.set(id, pending);
    void this.#answer(hint, prompt.join('\n'), pending.gone.signal).then((text) => {
      if (!this.#pending.has(id)) return;
      if (hint === 'none') this.#pending.delete(id);
      else if (text === undefined) this.refused = true;
      else pending.text = text;
    });
  }

  #drop(id: string): void {
    rmSync(this.#folder.file(`${id}.gone`));
    this.#pending.get(id)?.gone.abort();
    this.#pending.delete(id);
  }

  /** False where the script does not read yet. */
  #send(id: string, text: string): boolean {
    const path = this.#folder.file(`${id}.answer`);
    try {
      const pipe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      try {
        writeSync(pipe, `${text}\n`);
      } finally {
        closeSync(pipe);
      }
      rmSync(path);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENXIO';
    }
  }
}
