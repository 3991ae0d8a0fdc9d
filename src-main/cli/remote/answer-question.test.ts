import { describe, expect, test } from 'vitest';
import type { RemoteQuestion } from '../../shared/remote/questions.ts';
import { answerQuestion } from './answer-question.ts';

const asked = { id: 'q', connection: 'c', host: 'ada@gpu:22' } as const;
const keeping = { possible: false, why: 'No.' } as const;
const key = { type: 'ssh-ed25519', fingerprint: 'SHA256:new' };
const questions = {
  hostKey: { ...asked, kind: 'host-key', key, alsoKnownAs: [] },
  changed: {
    ...asked,
    kind: 'host-key-changed',
    key,
    known: [{ ...key, fingerprint: 'SHA256:old', file: '/home/ada/.ssh/known_hosts', line: 3 }],
    replaceable: false,
  },
  password: { ...asked, kind: 'password', attempt: 1, keeping },
  passphrase: { ...asked, kind: 'passphrase', attempt: 1, keeping, keyFile: '/k' },
  sudo: { ...asked, kind: 'sudo-password', attempt: 1, keeping, user: 'ada' },
  prompts: {
    ...asked,
    kind: 'prompts',
    name: '',
    instruction: 'Two factors\u001b[2J',
    prompts: [
      { text: 'Password: ', echo: false },
      { text: 'Code: ', echo: true },
    ],
  },
  exec: { ...asked, kind: 'match-exec', commands: ['test -f /tmp/x'] },
} as const satisfies Record<string, RemoteQuestion>;

/** Answers with what is typed, in turn; undefined = Ctrl+D. */
async function at(question: RemoteQuestion, ...lines: readonly (string | undefined)[]) {
  const left = [...lines];
  const echoes: boolean[] = [];
  let screen = '';
  const terminal = {
    write: (text: string) => {
      screen += text;
    },
    async readLine(prompt: string, { echo }: { echo: boolean }) {
      screen += prompt;
      echoes.push(echo);
      return left.shift();
    },
    close: () => undefined,
  };
  const signal = new AbortController().signal;
  const answered = await answerQuestion(question, { terminal, acceptNewKey: false, signal });
  return { ...answered, screen, echoes };
}

function alone(question: RemoteQuestion, acceptNewKey = false) {
  const signal = new AbortController().signal;
  return answerQuestion(question, { terminal: undefined, acceptNewKey, signal });
}

describe('at a terminal', () => {
  test('a key is shown and trusted by a whole word only', async () => {
    const shown = await at(questions.hostKey, 'y', '', 'YES ');
    expect(shown.answer).toEqual({ kind: 'trust', once: false });
    expect(shown.screen).toContain('ssh-ed25519 SHA256:new');
    expect(shown.screen).toContain('ada@gpu:22');
    expect(shown.echoes).toEqual([true, true, true]);
    expect((await at(questions.hostKey, 'once')).answer).toEqual({ kind: 'trust', once: true });
    expect((await at(questions.hostKey, 'no')).answer).toEqual({ kind: 'cancel' });
    expect((await at(questions.hostKey, undefined)).answer).toEqual({ kind: 'cancel' });
  });

  test('secrets are asked for unseen and never kept', async () => {
    for (const question of [questions.password, questions.passphrase, questions.sudo]) {
      const { answer, echoes } = await at(question, 's3cret');
      expect(answer).toEqual({ kind: 'texts', texts: ['s3cret'], remember: false });
      expect(echoes).toEqual([false]);
      expect((await at(question, undefined)).answer).toEqual({ kind: 'cancel' });
    }
    const again = await at({ ...questions.password, attempt: 2 }, 'x');
    expect(again.screen).toMatch(/^That was not accepted\. Password for ada@gpu:22: $/);
  });

  test('prompts are the server’s, seen or not as it says, and cannot draw', async () => {
    const { answer, echoes, screen } = await at(questions.prompts, 'pw', '123456');
    expect(answer).toEqual({ kind: 'texts', texts: ['pw', '123456'], remember: false });
    expect(echoes).toEqual([false, true]);
    expect(screen).toContain('ada@gpu:22 asks:');
    expect(screen).not.toContain('\u001b');
    expect((await at(questions.prompts, 'pw', undefined)).answer).toEqual({ kind: 'cancel' });
  });

  test('commands of the configuration run only for a yes', async () => {
    expect((await at(questions.exec, '')).answer).toEqual({ kind: 'allow', allow: false });
    expect((await at(questions.exec, 'y')).answer).toEqual({ kind: 'allow', allow: true });
  });
});

describe('without a terminal', () => {
  test('each failure says what would help', async () => {
    const helps = [
      [questions.hostKey, /known_hosts, or give --accept-new-host-key/],
      [questions.password, /use a key, with -i or in the SSH agent/],
      [questions.prompts, /use a key, with -i or in the SSH agent/],
      [questions.passphrase, /ssh-add/],
    ] as const;
    for (const [question, help] of helps) {
      const { answer, why } = await alone(question);
      expect(answer).toEqual({ kind: 'cancel' });
      expect(why).toMatch(help);
    }
  });

  test('what can go on without a person does', async () => {
    expect(await alone(questions.exec)).toEqual({ answer: { kind: 'allow', allow: false } });
    expect(await alone(questions.sudo)).toEqual({ answer: { kind: 'cancel' } });
  });
});

test('--accept-new-host-key takes a new key, never a changed one', async () => {
  expect(await alone(questions.hostKey, true)).toEqual({ answer: { kind: 'trust', once: false } });
  const { answer, why } = await alone(questions.changed, true);
  expect(answer).toEqual({ kind: 'cancel' });
  expect(why).toMatch(
    /SHA256:new now and was SHA256:old \(\/home\/ada\/\.ssh\/known_hosts, line 3\)/,
  );
  expect((await at({ ...questions.changed, replaceable: true }, 'yes')).answer).toEqual({
    kind: 'cancel',
  });
});
