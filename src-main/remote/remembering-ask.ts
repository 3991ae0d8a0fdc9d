import type { RemoteAnswer } from '../shared/remote/questions.ts';
import type { Ask, Question } from './link/ask.ts';

interface RememberingAsk {
  /** Asks a person, and remembers passwords and passphrases. */
  readonly ask: Ask;
  /** Answers from memory alone, each once in a row; cancels what was not said before. */
  readonly answer: Ask;
  readonly forget: () => void;
}

/**
 * So that the system's `ssh`, which remembers nothing, is connected again without a person: in memory
 * only. One-time codes and trust are not remembered.
 */
export function rememberingAsk(ask: Ask): RememberingAsk {
  const said = new Map<string, RemoteAnswer>();
  return {
    async ask(question, signal) {
      const answer = await ask(question, signal);
      const key = keyOf(question);
      if (key !== undefined && answer.kind === 'texts') said.set(key, answer);
      return answer;
    },
    async answer(question) {
      const key = keyOf(question);
      const isWrong = 'attempt' in question && question.attempt > 1;
      if (key !== undefined && isWrong) said.delete(key);
      return (key === undefined ? undefined : said.get(key)) ?? { kind: 'cancel' };
    },
    forget: () => said.clear(),
  };
}

function keyOf(question: Question): string | undefined {
  if (question.kind === 'password') return `password ${question.host}`;
  if (question.kind === 'passphrase') return `passphrase ${question.keyFile}`;
  return undefined;
}
