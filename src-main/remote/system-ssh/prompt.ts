import type { HostKey } from '../../shared/remote/questions.ts';
import { cleanText } from '../../shared/text/text.ts';
import { cleanPrompt, LONGEST_PROMPT } from '../sign-in/clean-prompt.ts';

/** What ssh asks by its askpass, read from its words (OpenSSH 7 to 10). */
export type SshPrompt =
  | {
      readonly kind: 'host-key';
      /** As known_hosts writes it. */
      readonly name: string;
      readonly key: HostKey;
      readonly alsoKnownAs: readonly string[];
    }
  | { readonly kind: 'passphrase'; readonly keyFile: string }
  | { readonly kind: 'password'; readonly account: string }
  /** A security key waits to be touched: there is nothing to answer. */
  | { readonly kind: 'touch'; readonly text: string }
  | { readonly kind: 'text'; readonly account?: string; readonly text: string };

/** `hint` is SSH_ASKPASS_PROMPT. The words may be the host's own, as those of keyboard-interactive are. */
export function readPrompt(hint: string, prompt: string): SshPrompt {
  const text = prompt.slice(0, LONGEST_PROMPT).trim();
  if (hint === 'none') return { kind: 'touch', text: cleanPrompt(text) };
  const hostKey = readHostKeyPrompt(text);
  if (hostKey !== undefined) return hostKey;
  const keyFile = /^Enter passphrase for (?:key |RSA key )?'?(.+?)'?:$/.exec(text)?.[1];
  if (keyFile !== undefined) return { kind: 'passphrase', keyFile };
  const account = /^(\S+@\S+)'s password:$/.exec(text)?.[1];
  if (account !== undefined) return { kind: 'password', account };
  const asked = /^\((\S+@[^\s)]+)\) (.*)$/s.exec(text);
  if (asked === null) return { kind: 'text', text: cleanPrompt(text) };
  return { kind: 'text', account: asked[1] ?? '', text: cleanPrompt(asked[2] ?? '') };
}

const KEY_TYPES: Readonly<Record<string, string>> = {
  ED25519: 'ssh-ed25519',
  ECDSA: 'ecdsa-sha2-nistp256',
  RSA: 'ssh-rsa',
  DSA: 'ssh-dss',
};

function readHostKeyPrompt(text: string): SshPrompt | undefined {
  const name = /^The authenticity of host '(\S+)(?: \([^']*\))?' can't be established/.exec(
    text,
  )?.[1];
  const key = /^(\S+) key fingerprint is (SHA256:[A-Za-z0-9+/]{43})\.?$/m.exec(text);
  if (name === undefined || key === null || !/\(yes\/no[^)]*\)\?$/.test(text)) return undefined;
  const [, word = '', fingerprint = ''] = key;
  const others = text.split('\n').filter((line) => /^ {4}\S/.test(line));
  return {
    kind: 'host-key',
    name,
    key: { type: KEY_TYPES[word] ?? cleanText(word.toLowerCase(), 80), fingerprint },
    alsoKnownAs: others.map((line) => cleanText(line.trim(), 300)).slice(0, 8),
  };
}
