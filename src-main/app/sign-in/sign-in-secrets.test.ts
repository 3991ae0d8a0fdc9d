import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { safeStorageDouble } from '../../../test/electron-double/safe-storage.ts';
import { markReady } from '../../../test/electron-double/strict.ts';
import type { RemoteAnswer, RemoteQuestion } from '../../shared/remote/questions.ts';
import type { SecretStore } from '../../shared/remote/secret-store.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import { KeptSecrets } from './kept-secrets.ts';
import { SignInSecrets } from './sign-in-secrets.ts';

markReady();

const CANARY = 'tr0ub4dor&3';
const HOST = 'ada@gpu.example:22';
let folder: string;
let path: string;
let kept: KeptSecrets;
let signIn: SignInSecrets;
/** What was answered without a person. */
let answers: { readonly question: string; readonly answer: RemoteAnswer }[];
let unavailable: string | undefined;
let again: boolean;

/** Sealed for real: the file is looked through for the canary. */
const store: SecretStore = {
  unavailable: async () => unavailable,
  seal: async (text) => ok((await safeStorageDouble.encryptStringAsync(text)).toString('base64')),
  async open(sealed) {
    try {
      const encrypted = Buffer.from(sealed, 'base64');
      const { result } = await safeStorageDouble.decryptStringAsync(encrypted);
      return ok({ text: result, again });
    } catch {
      return fail('secrets-unavailable', 'Not now.');
    }
  },
};

function start(withStore: SecretStore | undefined = store): void {
  kept = new KeptSecrets(path, withStore);
  signIn = new SignInSecrets(kept, async (question, answer) => {
    answers.push({ question, answer });
  });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-secrets-'));
  path = join(folder, 'remote', 'secrets.json');
  answers = [];
  unavailable = undefined;
  again = false;
  start();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let nextId = 0;
function passwordQuestion(
  connection: string,
  { host = HOST, attempt = 1 } = {},
): Extract<RemoteQuestion, { kind: 'password' }> {
  const keeping = { possible: false, why: 'not asked yet' } as const;
  return { kind: 'password', id: `q${nextId++}`, connection, host, attempt, keeping };
}

const connectedTo = (connection: string, address = HOST) => ({
  connection,
  label: 'gpu',
  user: 'ada',
  address,
  via: [],
  transport: 'ssh2' as const,
  signedInWith: 'password',
});

const typed = (text: string, remember = true): RemoteAnswer => ({
  kind: 'texts',
  texts: [text],
  remember,
});

/** Signs in with a password that a person types and wants kept. */
async function signInWith(text: string, remember = true, address = HOST): Promise<void> {
  signIn.begin('first');
  const question = passwordQuestion('first', { host: address });
  expect(await signIn.question(question)).toMatchObject({ id: question.id });
  signIn.answered(question.id, typed(text, remember));
  await signIn.connected(connectedTo('first', address));
}

const file = () => readFileSync(path, 'utf8');

describe('keeping', () => {
  test('what signed in is sealed in a file of the user’s own', async () => {
    await signInWith(CANARY);
    expect(await kept.list()).toEqual([{ kind: 'password', account: HOST }]);
    expect(file()).not.toContain(CANARY);
    expect(file()).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 10));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('only where the person said so, and only once it proved right', async () => {
    await signInWith(CANARY, false);
    signIn.begin('second');
    const question = passwordQuestion('second');
    await signIn.question(question);
    signIn.answered(question.id, typed(CANARY));
    await signIn.failed('second', true);
    signIn.begin('third');
    const cancelled = passwordQuestion('third');
    await signIn.question(cancelled);
    signIn.answered(cancelled.id, { kind: 'cancel' });
    await signIn.connected(connectedTo('third'));
    expect(await kept.list()).toEqual([]);
  });

  test('after a wrong one, only the right one', async () => {
    signIn.begin('c');
    for (const [attempt, text] of [
      [1, 'wrong'],
      [2, CANARY],
    ] as const) {
      const question = passwordQuestion('c', { attempt });
      expect(await signIn.question(question)).toBeDefined();
      signIn.answered(question.id, typed(text));
    }
    await signIn.connected(connectedTo('c'));
    expect(await kept.open({ kind: 'password', account: HOST })).toBe(CANARY);
  });

  test('a sudo password never', async () => {
    signIn.begin('c');
    const sudo: RemoteQuestion = {
      ...passwordQuestion('c'),
      kind: 'sudo-password',
      user: 'ada',
    };
    const asked = await signIn.question(sudo);
    expect(asked).toMatchObject({
      keeping: { possible: false, why: expect.stringMatching(/never kept/) },
    });
    signIn.answered(sudo.id, typed(CANARY));
    await signIn.connected(connectedTo('c'));
    expect(await kept.list()).toEqual([]);
  });

  test('says why not where the system cannot', async () => {
    unavailable = 'There is no password store: install one.';
    expect(await signIn.question(passwordQuestion('c'))).toMatchObject({
      keeping: { possible: false, why: unavailable },
    });
    kept = new KeptSecrets(path, undefined);
    expect(await kept.keeping()).toMatchObject({ possible: false });
  });
});

describe('a kept secret', () => {
  beforeEach(() => signInWith(CANARY));

  test('answers by itself, once an attempt', async () => {
    signIn.begin('next');
    const question = passwordQuestion('next');
    expect(await signIn.question(question)).toBeUndefined();
    expect(answers).toEqual([{ question: question.id, answer: typed(CANARY, false) }]);
  });

  test('is dropped when it was wrong, and a person is asked', async () => {
    signIn.begin('next');
    await signIn.question(passwordQuestion('next'));
    expect(await signIn.question(passwordQuestion('next', { attempt: 2 }))).toBeDefined();
    expect(answers).toHaveLength(1);
    expect(await kept.list()).toEqual([]);
  });

  test('is dropped when the server ended it there, not when the link broke', async () => {
    signIn.begin('next');
    await signIn.question(passwordQuestion('next'));
    await signIn.failed('next', false);
    expect(await kept.list()).toHaveLength(1);
    signIn.begin('last');
    await signIn.question(passwordQuestion('last'));
    await signIn.failed('last', true);
    expect(await kept.list()).toEqual([]);
  });

  test('stays when it was right and the second factor was not', async () => {
    signIn.begin('next');
    await signIn.question(passwordQuestion('next'));
    const { id, connection, host } = passwordQuestion('next');
    const prompts = [{ text: 'Verification code:', echo: false }];
    const code = { kind: 'prompts', id, connection, host, name: '', instruction: '' } as const;
    expect(await signIn.question({ ...code, prompts })).toMatchObject({ kind: 'prompts' });
    await signIn.failed('next', true);
    expect(await kept.list()).toHaveLength(1);
  });

  test('is for its host alone, whatever the file says', async () => {
    const other = 'eve@evil.example:22';
    signIn.begin('next');
    expect(await signIn.question(passwordQuestion('next', { host: other }))).toBeDefined();
    const moved = { ...JSON.parse(file()).secrets[0], account: other };
    writeFileSync(path, JSON.stringify({ v: 1, secrets: [moved] }));
    expect(await kept.list()).toEqual([{ kind: 'password', account: other }]);
    expect(await signIn.question(passwordQuestion('next', { host: other }))).toBeDefined();
    expect(answers).toEqual([]);
  });

  test('is sealed anew where the system wants it', async () => {
    const before = file();
    again = true;
    expect(await kept.open({ kind: 'password', account: HOST })).toBe(CANARY);
    expect(file()).not.toBe(before);
    again = false;
    expect(await kept.open({ kind: 'password', account: HOST })).toBe(CANARY);
  });

  test('is forgotten with its host; what others use stays', async () => {
    const key = { kind: 'passphrase', account: '/home/ada/.ssh/id' } as const;
    await kept.keep(key, CANARY, HOST);
    await kept.keep(key, CANARY, 'ada@other:22');
    await kept.keep({ kind: 'passphrase', account: '/home/ada/.ssh/only' }, CANARY, HOST);
    expect(await kept.forgetHost(HOST)).toEqual(ok(null));
    expect(await kept.list()).toEqual([key]);
    expect(await kept.forgetAll()).toEqual(ok(null));
    expect(await kept.list()).toEqual([]);
  });

  test('of two at once, neither is lost', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((name) => kept.keep({ kind: 'password', account: name }, 'x', name)),
    );
    expect(await kept.list()).toHaveLength(4);
  });
});

test('a key that opens two hops is offered to each', async () => {
  const keyFile = '/home/ada/.ssh/id';
  await kept.keep({ kind: 'passphrase', account: keyFile }, CANARY, HOST);
  signIn.begin('c');
  for (const host of ['ada@bastion:22', HOST]) {
    const question = { ...passwordQuestion('c', { host }), kind: 'passphrase' as const, keyFile };
    expect(await signIn.question(question)).toBeUndefined();
  }
  await signIn.connected(connectedTo('c'));
  expect(answers).toHaveLength(2);
  expect(await kept.list()).toHaveLength(1);
});

test('a file that is not ours holds nothing, and is replaced', async () => {
  await signInWith(CANARY);
  for (const junk of ['', '{', '[]', '{"v":1,"secrets":[{}]}', '{"v":2}']) {
    writeFileSync(path, junk);
    expect(await kept.list()).toEqual([]);
  }
  await signInWith(CANARY);
  expect(await kept.list()).toHaveLength(1);
});

test('a folder that cannot be written is said where it matters', async () => {
  writeFileSync(join(folder, 'remote'), 'a file where the folder should be');
  await signInWith(CANARY);
  const keeping = await kept.keeping();
  expect(keeping).toMatchObject({ possible: false });
  expect(keeping.possible ? '' : keeping.why).toContain(path);
  expect(JSON.stringify(keeping)).not.toContain(CANARY);
});
