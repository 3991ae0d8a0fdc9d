import type { ConnectError } from '../../shared/remote/connection.ts';
import type { HostKey, RecordedHostKey, RemoteAnswer } from '../../shared/remote/questions.ts';
import { USE_SYSTEM_SSH } from '../../shared/remote/system-ssh-words.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { ResolvedHost } from '../config/resolved-host.ts';
import type { Question } from '../link/ask.ts';
import { quoteWords } from '../shell/quote.ts';
import { hostAddress, serverAddress } from '../transport/host-address.ts';
import type { HostKeyVerdict, HostTrust } from '../trust/host-trust.ts';
import type { Credentials } from './credentials.ts';

export interface HostKeyCheck {
  readonly trust: HostTrust;
  readonly credentials: Credentials;
  /** Absent where nobody is to be asked. */
  readonly ask: ((question: Question) => Promise<RemoteAnswer>) | undefined;
}

type Checked = Result<null, ConnectError>;

/**
 * Decides whether to go on with a host that showed `keyBlob`, asking where it has to.
 * `StrictHostKeyChecking no` asks as `ask` does: a key is never taken unseen.
 */
export async function checkHostKey(
  host: ResolvedHost,
  keyBlob: Buffer,
  check: HostKeyCheck,
): Promise<Checked> {
  const verdict = await check.trust.judge(host, keyBlob);
  switch (verdict.kind) {
    case 'known':
      return ok(null);
    case 'unknown':
      return check.credentials.trustsOnce(host, keyBlob)
        ? ok(null)
        : unknownKey(host, keyBlob, verdict, check);
    case 'changed':
      return changedKey(host, keyBlob, verdict, check);
    case 'revoked':
      return fail(
        'host-key-revoked',
        `The key of ${serverAddress(host)} is revoked in ${place(verdict.record)}: do not sign in, ask who runs the host.`,
      );
    case 'ca':
      return fail(
        'needs-system-ssh',
        `${serverAddress(host)} is known by a certificate authority (${place(verdict.record)}), which only this machine's ssh can check: ${USE_SYSTEM_SSH}.`,
      );
  }
}

async function unknownKey(
  host: ResolvedHost,
  keyBlob: Buffer,
  { key, alsoKnownAs }: Extract<HostKeyVerdict, { kind: 'unknown' }>,
  { trust, credentials, ask }: HostKeyCheck,
): Promise<Checked> {
  const strict = host.strictHostKeyChecking;
  if (strict === 'yes')
    return fail(
      'host-key-unknown',
      `The key of ${serverAddress(host)} is not known (${inWords(key)}), and StrictHostKeyChecking is yes: add it to your known_hosts first.`,
    );
  const answer: RemoteAnswer =
    strict === 'accept-new'
      ? { kind: 'trust', once: false }
      : ((await ask?.({ kind: 'host-key', host: hostAddress(host), key, alsoKnownAs })) ?? {
          kind: 'cancel',
        });
  if (answer.kind !== 'trust')
    return fail(
      'host-key-unknown',
      `The key of ${serverAddress(host)} is not known (${inWords(key)}), and nobody confirmed it: connect again and compare it with what the host's owner says.`,
    );
  // What could not be written down is trusted until the connection is closed.
  const written = answer.once || (await trust.remember(host, keyBlob, { replace: false })).ok;
  if (answer.once || !written) credentials.trustOnce(host, keyBlob);
  return ok(null);
}

async function changedKey(
  host: ResolvedHost,
  keyBlob: Buffer,
  { key, known, replaceable }: Extract<HostKeyVerdict, { kind: 'changed' }>,
  { trust, ask }: HostKeyCheck,
): Promise<Checked> {
  const answer = await ask?.({
    kind: 'host-key-changed',
    host: hostAddress(host),
    key,
    known,
    replaceable,
  });
  if (answer?.kind === 'replace' && replaceable) {
    const written = await trust.remember(host, keyBlob, { replace: true });
    if (written.ok) return ok(null);
    return fail('host-key-changed', written.error.message, written.error.detail);
  }
  const old = known.map((record) => `${inWords(record)} in ${place(record)}`).join(', ');
  return fail(
    'host-key-changed',
    `The key of ${serverAddress(host)} has changed. It is now ${inWords(key)}; the known one is ${old}. Somebody may be listening in, or the host was set up again: ask its owner, then ${wayOut(host, known, replaceable)}.`,
  );
}

function wayOut(
  host: ResolvedHost,
  known: readonly RecordedHostKey[],
  replaceable: boolean,
): string {
  if (replaceable) return 'connect again and replace the key';
  const files = [...new Set(known.map(({ file }) => file))];
  const name = quoteWords([host.keyName]);
  const removals = files.map((file) => `ssh-keygen -R ${name} -f ${quoteWords([file])}`);
  return `remove the old lines (${cleanText(removals.join('; '), 800)})`;
}

function inWords({ type, fingerprint }: HostKey): string {
  return `${type} ${fingerprint}`;
}

function place({ file, line }: RecordedHostKey): string {
  return `${file}, line ${line}`;
}
