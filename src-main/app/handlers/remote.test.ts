import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { calls } from '../../contract/contract.ts';
import { createRouter } from '../../rpc/router.ts';
import type { RemoteQuestion } from '../../shared/remote/questions.ts';
import type { SecretStore } from '../../shared/remote/secret-store.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import { type App, createApp } from '../app.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';
import { FakeRemote } from '../testing/fake-remote.ts';

const CANARY = 'hunter2-canary';
const CONNECTION = '5f6f5fe4-7a6b-4c52-9a1b-0d8f4c9e0001';
const SAVED = '5f6f5fe4-7a6b-4c52-9a1b-0d8f4c9e0003';
const QUESTION = '5f6f5fe4-7a6b-4c52-9a1b-0d8f4c9e0002';
const HOST = 'ada@gpu.example:22';

/** Seals by turning the text around: that it is sealed for real is tested elsewhere. */
const store: SecretStore = {
  unavailable: async () => undefined,
  seal: async (text) => ok([...text].toReversed().join('')),
  open: async (sealed) => ok({ text: [...sealed].toReversed().join(''), again: false }),
};

let folder: string;
let remote: FakeRemote;
let app: App;
let asked: RemoteQuestion[];
/** What the fake host says to a password. */
let accepts: (text: string) => boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-remote-'));
  asked = [];
  accepts = (text) => text === CANARY;
  let answered: (text: string) => void = () => undefined;
  remote = new FakeRemote({
    async connect() {
      for (let attempt = 1; attempt <= 2; attempt++) {
        const answer = new Promise<string>((resolve) => {
          answered = resolve;
        });
        const keeping = { possible: false, why: '' } as const;
        const question = { kind: 'password', id: randomUUID(), connection: CONNECTION } as const;
        remote.emit('question', { ...question, host: HOST, attempt, keeping });
        if (accepts(await answer)) {
          const via = { via: [], transport: 'ssh2', signedInWith: 'password' } as const;
          const host = { connection: CONNECTION, label: 'gpu', user: 'ada', address: HOST, ...via };
          return ok(host);
        }
      }
      return fail('sign-in-failed', 'The server takes neither.');
    },
    async answer({ answer }) {
      answered(answer.kind === 'texts' ? (answer.texts[0] ?? '') : '');
      return ok(null);
    },
    disconnect: async () => ok(null),
    hosts: async () =>
      ok({
        problems: [],
        hosts: [
          {
            id: `saved:${SAVED}`,
            label: 'gpu',
            target: { name: 'gpu.example' },
            from: 'saved',
            address: HOST,
          },
        ],
      }),
    forgetHost: async () => ok(null),
  });
  const { platform } = fakePlatform(undefined, remote);
  app = createApp({ ...platform, secrets: store }, { dataFolder: folder });
  app.onEvent((name, payload) => {
    if (name === 'remote.question') asked.push(payload as RemoteQuestion);
  });
});
afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const connect = () =>
  app.handlers['remote.connect']({ connection: CONNECTION, target: { name: 'gpu' } }, contextOf());

async function answer(text: string, remember: boolean): Promise<void> {
  const question = asked.at(-1)?.id ?? '';
  const texts = { kind: 'texts' as const, texts: [text], remember };
  await app.handlers['remote.answer']({ question, answer: texts }, contextOf());
}

const kept = async () => {
  const listed = await app.handlers['remote.keptSecrets']({}, contextOf());
  return listed.ok ? listed.value : undefined;
};

async function signIn(text: string): Promise<void> {
  const connecting = connect();
  await expect.poll(() => asked).toHaveLength(1);
  await answer(text, true);
  expect(await connecting).toMatchObject({ ok: true });
}

test('a password that is kept signs in without anybody being asked', async () => {
  await signIn(CANARY);
  expect(asked[0]).toMatchObject({ keeping: { possible: true } });
  expect(await kept()).toEqual({
    keeping: { possible: true },
    kept: [{ kind: 'password', account: HOST }],
  });
  expect(await connect()).toMatchObject({ ok: true });
  expect(asked).toHaveLength(1);
});

test('one that has changed on the host is forgotten, and a person is asked', async () => {
  await signIn(CANARY);
  accepts = (text) => text === 'new';
  const connecting = connect();
  await expect.poll(() => asked).toHaveLength(2);
  expect(await kept()).toMatchObject({ kept: [] });
  expect(asked[1]).toMatchObject({ attempt: 2 });
  await answer('new', false);
  expect(await connecting).toMatchObject({ ok: true });
});

test('forgetting a host, or all, forgets what is kept', async () => {
  await signIn(CANARY);
  await app.handlers['remote.forgetHost']({ id: SAVED }, contextOf());
  expect(await kept()).toMatchObject({ kept: [] });
  asked = [];
  await signIn(CANARY);
  await app.handlers['remote.forgetSecrets']({}, contextOf());
  expect(await kept()).toMatchObject({ kept: [] });
});

test('an answer shows in no failure and in no log, whatever is wrong with it', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const bugs: unknown[] = [];
  const replies: unknown[] = [];
  const router = createRouter(calls, app.handlers, (...bug) => bugs.push(bug));
  const session = router.connect((frame) => replies.push(frame));
  const texts = { kind: 'texts', texts: [CANARY], remember: true };
  const wrong = [
    { question: QUESTION, answer: texts, extra: CANARY },
    { question: 'no uuid', answer: texts },
    { question: QUESTION, answer: { ...texts, kind: CANARY } },
    { question: QUESTION, answer: { ...texts, remember: CANARY } },
    { question: QUESTION, answer: { ...texts, texts: CANARY } },
    { question: QUESTION, answer: CANARY },
    { question: QUESTION, answer: { ...texts, texts: [CANARY.repeat(1000)] } },
  ];
  for (const [id, args] of wrong.entries())
    session.receive({ kind: 'call', id, name: 'remote.answer', args });
  await expect.poll(() => replies).toHaveLength(wrong.length);
  // A handler that fails in a way nobody thought of.
  Object.assign(remote.handlers, {
    answer: async () => {
      throw new Error('some bug');
    },
  });
  session.receive({
    kind: 'call',
    id: 99,
    name: 'remote.answer',
    args: { question: QUESTION, answer: texts },
  });
  await expect.poll(() => replies).toHaveLength(wrong.length + 1);
  for (const seen of [replies, bugs, logged.mock.calls])
    expect(JSON.stringify(seen)).not.toContain(CANARY);
  expect(() => readFileSync(join(folder, 'remote', 'secrets.json'))).toThrow();
  logged.mockRestore();
});

test('captures are asked for where there are some: else the process that speaks SSH is not started', async () => {
  const folderOfRuns = join(folder, 'remote', 'runs');
  const listed = async () => app.handlers['remote.runs']({}, contextOf());
  expect(await listed()).toEqual(ok([]));
  mkdirSync(folderOfRuns, { recursive: true });
  expect(await listed()).toEqual(ok([]));
  expect(remote.asked).toEqual([]);
  mkdirSync(join(folderOfRuns, 'deadbeef'));
  await listed();
  expect(remote.asked).toEqual(['runs']);
});
