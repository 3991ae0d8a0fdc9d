import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentChannel, HostSession } from '../../../src-main/remote/shell/host-session.ts';
import type { Channel } from '../../../src-main/remote/transport/transport.ts';
import type { LinkState } from '../../../src-main/shared/remote/connection.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { agentPath } from '../agent/agent-run.ts';

/** A session with this very machine, without SSH: what is above it is tested alone, its link cut at will. */
export interface LocalSession extends HostSession {
  /** The link breaks: every command's outputs end, and new ones wait. */
  cut(): void;
  mend(): void;
}

export function openLocalSession(folder: string): LocalSession {
  const baseFolder = join(folder, 'stalltrace-0');
  mkdirSync(baseFolder, { mode: 0o700 });
  writeFileSync(join(baseFolder, '.stalltrace'), 'stalltrace-folder 1 test\n');
  const channels = new Set<Channel>();
  const listeners = new Set<(state: LinkState) => void>();
  let state: LinkState = { kind: 'connected' };
  const tell = (next: LinkState) => {
    state = next;
    for (const listener of listeners) listener(next);
  };

  function start(program: string, args: readonly string[]): AgentChannel {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let cut = false;
    let said = '';
    child.stderr.on('data', (data) => (said += String(data)));
    child.stdin.on('error', () => undefined);
    const channel: AgentChannel = {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      stderrTail: () => said,
      exit: new Promise((resolve) => {
        child.on('close', (code) => {
          channels.delete(channel);
          resolve({ code: cut ? null : code });
        });
      }),
      close() {
        cut = true;
        child.stdin.destroy();
        child.stdout.destroy();
        child.stderr.destroy();
      },
    };
    channels.add(channel);
    return channel;
  }

  const lost = () => fail('link-lost' as const, 'The connection was lost: try again.');
  return {
    link: {
      host: { target: { name: 'here' } },
      connected: { address: 'root@here:22' },
      get state() {
        return state;
      },
      async transport(signal: AbortSignal) {
        while (state.kind !== 'connected' && !signal.aborted)
          await new Promise((resolve) => setTimeout(resolve, 20));
        return signal.aborted ? fail('cancelled' as const, 'Cancelled.') : ok({});
      },
      onState(listener: (state: LinkState) => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    } as unknown as HostSession['link'],
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    userName: 'root',
    loginShell: '/bin/bash',
    baseFolder,
    baseFolders: [baseFolder],
    agentPath,
    privilege: 'root',
    preflight: {} as HostSession['preflight'],
    async measureClock() {
      return state.kind === 'connected'
        ? { offsetNs: 0, uncertaintyNs: 1, measuredAt: new Date().toISOString() }
        : undefined;
    },
    async openAgent(args) {
      return state.kind === 'connected' ? ok(start(agentPath, args)) : lost();
    },
    async runScript(script, words) {
      if (state.kind !== 'connected') return lost();
      const channel = start('/bin/sh', ['-s', '--', ...words]);
      let stdout = '';
      channel.stdout.on('data', (data) => (stdout += String(data)));
      channel.stdin.end(script);
      const { code } = await channel.exit;
      return code === null ? lost() : ok({ stdout, stderr: channel.stderrTail(), code });
    },
    cut() {
      tell({ kind: 'reconnecting', attempt: 1, why: 'cut' });
      for (const channel of [...channels]) channel.close();
    },
    mend: () => tell({ kind: 'connected' }),
  };
}
