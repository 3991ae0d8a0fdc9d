import type { RemoteAnswer, RemoteQuestion } from '../../shared/remote/questions.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface AnswerOptions {
  /** Absent: nobody can be asked. */
  readonly terminal: Terminal | undefined;
  readonly acceptNewKey: boolean;
  readonly signal: AbortSignal;
}

interface Answered {
  readonly answer: RemoteAnswer;
  /** Why nobody was asked, and what would help: a sentence. */
  readonly why?: string;
}

const CANCEL: RemoteAnswer = { kind: 'cancel' };

/** Answers a question of a connection, by whoever sits at the terminal. */
export async function answerQuestion(
  question: RemoteQuestion,
  options: AnswerOptions,
): Promise<Answered> {
  if (question.kind === 'host-key' && options.acceptNewKey)
    return { answer: { kind: 'trust', once: false } };
  if (question.kind === 'host-key-changed') return { answer: CANCEL, why: changedKey(question) };
  const { terminal, signal } = options;
  if (terminal === undefined) return unasked(question);
  const ask = (prompt: string, echo: boolean) => terminal.readLine(prompt, { echo, signal });
  const host = cleanText(question.host, 300);
  switch (question.kind) {
    case 'host-key':
      return { answer: await askAboutKey(question, terminal, ask) };
    case 'match-exec': {
      const commands = question.commands.map((command) => `  ${cleanText(command, 500)}\n`);
      terminal.write(`The SSH configuration for ${host} wants to run:\n${commands.join('')}`);
      const allow = isYes(await ask('Run them? [y/N] ', true));
      return { answer: { kind: 'allow', allow } };
    }
    case 'prompts':
      return { answer: await askPrompts(question, terminal, ask) };
    default: {
      const again = question.attempt > 1 ? 'That was not accepted. ' : '';
      return { answer: texts([await ask(`${again}${secretPrompt(question)}: `, false)]) };
    }
  }
}

type AskLine = (prompt: string, echo: boolean) => Promise<string | undefined>;
type HostKeyQuestion = Extract<RemoteQuestion, { kind: 'host-key' }>;
type ChangedKeyQuestion = Extract<RemoteQuestion, { kind: 'host-key-changed' }>;
type PromptsQuestion = Extract<RemoteQuestion, { kind: 'prompts' }>;
type SecretQuestion = Extract<
  RemoteQuestion,
  { kind: 'password' | 'passphrase' | 'sudo-password' }
>;

async function askAboutKey(
  { host, key, alsoKnownAs }: HostKeyQuestion,
  terminal: Terminal,
  ask: AskLine,
): Promise<RemoteAnswer> {
  const names = alsoKnownAs.map((name) => cleanText(name, 200)).join(', ');
  terminal.write(
    [
      `The key of ${cleanText(host, 300)} is not known here:`,
      `  ${cleanText(key.type, 80)} ${cleanText(key.fingerprint, 120)}`,
      ...(names === '' ? [] : [`The same key is known as ${cleanText(names, 500)}.`]),
      'Compare it with the key that the host or its provider shows.',
      '',
    ].join('\n'),
  );
  for (;;) {
    const typed = await ask(
      'Type yes to trust it, once to trust it this time only, no to cancel: ',
      true,
    );
    const word = typed?.trim().toLowerCase();
    if (word === undefined || word === 'no') return CANCEL;
    if (word === 'yes' || word === 'once') return { kind: 'trust', once: word === 'once' };
  }
}

async function askPrompts(
  { host, name, instruction, prompts }: PromptsQuestion,
  terminal: Terminal,
  ask: AskLine,
): Promise<RemoteAnswer> {
  // Words of the server's: who they come from is said first.
  const said = [name, instruction].map((text) => cleanText(text.trim(), 1000)).filter(Boolean);
  terminal.write(`${cleanText(host, 300)} asks:\n${said.map((text) => `  ${text}\n`).join('')}`);
  const answers: (string | undefined)[] = [];
  for (const { text, echo } of prompts) {
    answers.push(await ask(`  ${cleanText(text.trimEnd(), 300)} `, echo));
    if (answers.at(-1) === undefined) return CANCEL;
  }
  return texts(answers);
}

function texts(answers: readonly (string | undefined)[]): RemoteAnswer {
  const typed = answers.filter((answer) => answer !== undefined);
  if (typed.length < answers.length) return CANCEL;
  return { kind: 'texts', texts: typed, remember: false };
}

function isYes(typed: string | undefined): boolean {
  return /^y(es)?$/i.test(typed?.trim() ?? '');
}

function secretPrompt(question: SecretQuestion): string {
  const host = cleanText(question.host, 300);
  switch (question.kind) {
    case 'password':
      return `Password for ${host}`;
    case 'passphrase':
      return `Passphrase for ${cleanText(question.keyFile, 1000)}`;
    case 'sudo-password':
      return `Password of ${cleanText(question.user, 100)} for sudo on ${host} (Ctrl+D: without)`;
  }
}

function changedKey({ host, key, known, replaceable }: ChangedKeyQuestion): string {
  const before = known
    .map((each) => `${each.fingerprint} (${each.file}, line ${each.line})`)
    .join(', ');
  const next = replaceable
    ? 'if its owner confirms the new one, replace it in the app'
    : 'if its owner confirms the new one, take that line out with ssh-keygen -R';
  return `The key of ${cleanText(host, 300)} has changed, which can mean that someone intercepts the connection: the key is ${cleanText(key.fingerprint, 120)} now and was ${cleanText(before, 1000)}; ${next}.`;
}

/** Without a terminal: what to do instead. */
function unasked(question: RemoteQuestion): Answered {
  const host = cleanText(question.host, 300);
  switch (question.kind) {
    case 'match-exec':
      return { answer: { kind: 'allow', allow: false } };
    case 'sudo-password':
      // Without it, what can be had is captured.
      return { answer: CANCEL };
    case 'host-key':
    case 'host-key-changed':
      return {
        answer: CANCEL,
        why: `The key of ${host} (${cleanText(question.key.fingerprint, 120)}) is not known here, and there is no terminal to ask at: add it to known_hosts, or give --accept-new-host-key if the network can be trusted.`,
      };
    case 'passphrase':
      return {
        answer: CANCEL,
        why: `${cleanText(question.keyFile, 1000)} needs its passphrase, and there is no terminal to ask at: load the key into the SSH agent with ssh-add, or name another with -i.`,
      };
    default:
      return {
        answer: CANCEL,
        why: `${host} wants a password or a code, and there is no terminal to ask at: use a key, with -i or in the SSH agent.`,
      };
  }
}
