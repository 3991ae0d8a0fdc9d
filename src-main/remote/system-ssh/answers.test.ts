import { beforeEach, expect, it } from 'vitest';
import type { Ask, Question } from '../link/ask.ts';
import { Credentials } from '../sign-in/credentials.ts';
import { testHost } from '../transport/testing/test-host.ts';
import { SshAnswers } from './answers.ts';

const { signal } = new AbortController();
const bastion = testHost('bastion', { user: 'b' });
let asked: Question[] = [];
beforeEach(() => {
  asked = [];
});

function answersFor(jumps: readonly (typeof bastion)[] = []) {
  const host = testHost('gpu', { jumps });
  const credentials = new Credentials();
  credentials.keepPassword(host, 'for-gpu');
  const ask: Ask = async (question) => {
    asked.push(question);
    return question.kind === 'host-key'
      ? { kind: 'trust', once: true }
      : { kind: 'texts', texts: ['typed'], remember: false };
  };
  const answers = new SshAnswers({ host, credentials, ask, signal });
  const answer = (prompt: string) => answers.answer('text', prompt, signal);
  return { answer, credentials, host };
}

it('gives a password to the host that it is for', async () => {
  expect(await answersFor().answer("me@gpu's password:")).toBe('for-gpu');
  expect(await answersFor().answer('(me@GPU) Password: ')).toBe('for-gpu');
  expect(await answersFor().answer('Password:')).toBe('for-gpu');
  expect(asked).toEqual([]);
});

it('gives it to no other: one behind a ProxyCommand, or who knows which', async () => {
  const { answer, credentials, host } = answersFor();
  expect(await answer("me@elsewhere's password:")).toBe('typed');
  expect(await answer('(other@gpu) Password:')).toBe('typed');
  expect(await answersFor([bastion]).answer('Password:')).toBe('typed');
  expect(asked.map(({ kind, ...question }) => [kind, 'host' in question && question.host])).toEqual(
    [
      ['prompts', 'me@elsewhere'],
      ['prompts', 'other@gpu'],
      ['prompts', 'ssh gpu'],
    ],
  );
  expect(credentials.password(host)).toBe('for-gpu');
});

it('names the host whose key is unknown, be it none that we know of', async () => {
  const { answer } = answersFor([bastion]);
  const prompt = (name: string) =>
    `The authenticity of host '${name} (10.0.0.1)' can't be established.
ED25519 key fingerprint is SHA256:${'a'.repeat(43)}.
This key is not known by any other names.
Are you sure you want to continue connecting (yes/no/[fingerprint])?`;
  expect(await answer(prompt('bastion'))).toBe('yes');
  expect(await answer(prompt('[elsewhere]:2222'))).toBe('yes');
  expect(asked).toMatchObject([{ host: 'b@bastion:22' }, { host: '[elsewhere]:2222' }]);
});
