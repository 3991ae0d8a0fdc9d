import { fail } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { Failed } from '../transport/connect-failures.ts';
import type { SignInAccount } from './sign-in.ts';

/** Why nobody got in: what was tried, what the server allows, and what to do. */
export function signInFailure(
  where: string,
  { allowed, tried, accepted, keys }: SignInAccount,
  { cancelled, needsPerson }: { readonly cancelled: boolean; readonly needsPerson: boolean },
): Failed {
  const [problem] = keys.problems;
  const alone = !cancelled && !needsPerson;
  // Who gave a password would be asked for it again by the system's ssh.
  const gaveSecrets = tried.some((name) => !name.startsWith('publickey'));
  const forSystem = keys.problems.find(({ code }) => code === 'needs-system-ssh');
  if (forSystem !== undefined && alone && !gaveSecrets)
    return fail(forSystem.code, forSystem.message, forSystem.detail);
  // Where no key could be tried, the key is the matter, not the host.
  if (problem !== undefined && alone && tried.length === 0)
    return fail(problem.code, `${problem.message} ${allows(where, allowed)}`, problem.detail);
  const steps = [...keys.problems.map(({ message }) => message), ...keys.notes];
  const did = tried.length === 0 ? 'nothing could be tried' : `tried ${list(tried)}`;
  const taken = accepted.length === 0 ? '' : `; it took ${list(accepted)}, but wants more`;
  // Where a hop is meant, `where` ends as a clause does.
  const to = where.replace(/,$/, '');
  const message = `Could not sign in to ${to}: ${did}${taken}. ${allows(where, allowed)}`;
  const next = [...steps, nextStep(allowed, { cancelled, needsPerson })].join(' ');
  return fail('sign-in-failed', `${message} ${next}`);
}

function allows(where: string, allowed: readonly string[]): string {
  const methods = allowed.slice(0, 8).map((method) => cleanText(method, 40));
  return methods.length === 0 ? `${where} offers no way in.` : `The host allows ${list(methods)}.`;
}

function nextStep(
  allowed: readonly string[],
  { cancelled, needsPerson }: { cancelled: boolean; needsPerson: boolean },
): string {
  if (needsPerson) return 'Somebody has to answer its questions: connect again.';
  if (cancelled) return 'A question was left unanswered: connect again.';
  if (allowed.includes('password') || allowed.includes('keyboard-interactive'))
    return 'Check the user name and the password.';
  if (allowed.includes('publickey'))
    return 'Check the user name, and that your public key is in the authorized_keys of that user.';
  return "Try this machine's ssh instead: it knows more ways to sign in.";
}

function list(words: readonly string[]): string {
  return [...new Set(words)].join(', ');
}
