import { fail, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';

export const linkLost = (detail?: string) =>
  fail(
    'link-lost',
    'The connection was lost. Stalltrace is reconnecting: try again in a moment.',
    detail,
  );

export const cancelled = () => fail('cancelled', 'Cancelled.');

export function timedOut(seconds: number, detail?: string): Result<never, 'timed-out'> {
  const message = `The host gave no answer within ${Math.round(seconds)} s: check whether it is overloaded, then try again.`;
  return fail('timed-out', message, detail);
}

/** The host runs something else than a shell, such as a menu; `said` is what it printed. */
export function noShell(said: string): Result<never, 'no-shell'> {
  const line = firstLine(said);
  const why = line === '' ? 'it said nothing' : `it said “${line}”`;
  const message = `The host did not run a script by /bin/sh (${why}): sign in with an account that has a shell, by SSH to the machine itself rather than through a provider's gateway.`;
  return fail('no-shell', message, said.slice(0, 2000));
}

/** What `agent` is asked by such words never takes so much: `words` = its path and arguments. */
export function answerTooLong([, command = '']: readonly string[]): Result<never, 'agent-failed'> {
  const message = `The agent's answer to “${cleanText(command, 40)}” does not end: check the host again, which reinstalls the agent.`;
  return fail('agent-failed', message);
}

/** The first line that says something, fit to be quoted in a sentence. */
export function firstLine(text: string): string {
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .find((each) => each !== '');
  return cleanText(line ?? '', 200);
}
