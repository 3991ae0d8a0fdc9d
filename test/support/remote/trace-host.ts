import { chmodSync, chownSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLink } from '../../../src-main/remote/link/open-link.ts';
import type { HostSession } from '../../../src-main/remote/shell/host-session.ts';
import { openProgram } from '../../../src-main/remote/shell/open-program.ts';
import { Credentials } from '../../../src-main/remote/sign-in/credentials.ts';
import { openSsh2 } from '../../../src-main/remote/ssh2/open-ssh2.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { agentPath } from '../agent/agent-run.ts';
import { hostAt, must } from './open-transport.ts';
import { createSshKey, type SshHost, type SshKey } from './ssh-host.ts';
import { createSshUser, type SshUser } from './ssh-user.ts';
import { testTrust } from './test-trust.ts';

/** A user who may sign in with a key, with the agent in the home. */
export interface TraceUser extends SshUser {
  readonly key: SshKey;
  readonly agent: string;
}

export async function createTraceUser(folder: string): Promise<TraceUser> {
  const user = await createSshUser();
  const key = createSshKey(join(folder, `key-${user.name}`));
  user.authorise(key.publicKey);
  const agent = join(user.home, 'stalltrace-agent');
  copyFileSync(agentPath, agent);
  chownSync(agent, user.uid, user.uid);
  chmodSync(agent, 0o700);
  return { ...user, key, agent };
}

/** What of a session bringing a trace back needs, over a real connection that is kept. */
export type TraceSession = Pick<HostSession, 'link' | 'openAgent' | 'privilege'>;

export interface TraceSessionOptions {
  /** Instead of the host's own port: that of a slow link to it. */
  readonly port?: number;
  readonly keepAliveMs?: number;
  /** Between attempts to connect again. */
  readonly delaysMs?: readonly number[];
}

/** Signs in to `host`; `link.close()` ends it. */
export async function openTraceSession(
  host: Pick<SshHost, 'address' | 'port' | 'hostKeys'>,
  user: Pick<TraceUser, 'name' | 'agent' | 'key'>,
  options: TraceSessionOptions = {},
): Promise<TraceSession> {
  const { port = host.port, keepAliveMs, delaysMs } = options;
  const at = hostAt({ address: host.address, port }, user, {
    identityFiles: [user.key.file],
    identitiesOnly: true,
  });
  const trust = testTrust({ ...host, port });
  const credentials = new Credentials();
  const link = must(
    await openLink({
      connection: '00000000-0000-4000-8000-000000000000',
      label: 'test',
      host: at,
      signal: new AbortController().signal,
      ...(delaysMs !== undefined && { delaysMs }),
      open: (signal) =>
        openSsh2(at, {
          ...{ trust, credentials, signal },
          ...(keepAliveMs !== undefined && { keepAliveMs }),
        }),
    }),
  );
  return {
    link,
    privilege: 'no-sudo',
    async openAgent(args, { signal, whenFull }) {
      const transport = await link.transport(signal);
      if (!transport.ok) return fail('link-lost', transport.error.message);
      const elevation = { kind: 'none' } as const;
      const how = { elevation, signal, timeoutMs: 90_000, whenFull };
      const opened = await openProgram(transport.value, [user.agent, ...args], how);
      if (!opened.ok) return opened;
      if (opened.value.kind === 'open') return ok(opened.value.channel);
      return fail('agent-failed', 'The agent ended at once.', opened.value.stderr);
    },
  };
}
