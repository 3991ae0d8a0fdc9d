import type { QuestionKind, RemoteAnswer, RemoteQuestion } from '../../shared/remote/questions.ts';

/** A question without what whoever passes it on adds: its id and its connection. */
export type Question = {
  [K in QuestionKind]: Omit<Extract<RemoteQuestion, { kind: K }>, 'id' | 'connection' | 'keeping'>;
}[QuestionKind];

/** Asks a person; `cancel` where nobody answers. Aborting `signal` takes the question back. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<RemoteAnswer>;
