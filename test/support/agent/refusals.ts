import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { standIn } from './agent-run.ts';
import { withoutRights } from './inside-run.ts';

/** Ways in which containers and hardened hosts refuse, and what a recording then has and has not. */

export interface Refusal {
  /** What arranges it as root; given a folder of its own. */
  readonly asRoot?: (folder: string) => readonly string[];
  /** What arranges it once the rights are given up. */
  readonly asUser?: readonly string[];
  /** Tiers that are lost besides BPF, with the reason. */
  readonly lost?: Readonly<Record<string, RegExp>>;
  /** What is said of tiers that are there all the same. */
  readonly told?: Readonly<Record<string, RegExp>>;
  /** Among the trace's notices, besides that of BPF. */
  readonly notices?: readonly RegExp[];
}

/** FOLDER NAME TEXT COMMAND ...: a file of /proc/sys/kernel says something else, also where there is none. */
const SHOWN = `mount --bind /proc/sys/kernel "$1" && mount -t tmpfs none /proc/sys/kernel &&
  ln -s "$1"/* /proc/sys/kernel/ && cd /proc/sys/kernel && rm -f "\${2%%/*}" &&
  mkdir -p "$(dirname "$2")" && echo "$3" >"$2" && cd "$OLDPWD" && shift 3 && exec "$@"`;
const SMALL_SHM = 'mount -t tmpfs -o size=1m,mode=1777 none /dev/shm && exec "$@"';

const inNamespace = (script: string) => ['unshare', '-m', 'sh', '-c', script, 'sh'];

function shown(folder: string, name: string, text: string): string[] {
  const kept = join(folder, 'kernel');
  mkdirSync(kept, { recursive: true });
  return [...inNamespace(SHOWN), kept, name, text];
}

/** Yama refuses what a debugger may do, also on kernels that have no Yama. */
export function underYama(scope: string): (folder: string) => string[] {
  return (folder) => [...shown(folder, 'yama/ptrace_scope', scope), ...[standIn('yama'), scope]];
}

export const REFUSALS: Readonly<Record<string, Refusal>> = {
  'no capability, and no way to gain one': {},
  'a filter as Docker has it by default': {
    asUser: [standIn('refuse'), 'docker'],
    lost: { perf_switch: /^perf_event_open is refused: by a seccomp filter/ },
    notices: [/^Single switches are not recorded by perf\. .* by a seccomp filter/],
  },
  'kernel.perf_event_paranoid 4': {
    asRoot: (folder) => shown(folder, 'perf_event_paranoid', '4'),
    asUser: [standIn('refuse'), 'perf-level'],
    lost: { perf_switch: /^perf_event_open is refused: kernel.perf_event_paranoid is 4 here/ },
    notices: [/^Single switches are not recorded by perf\. .* is 4 here/],
  },
  'a /dev/shm of 1 MB': { asRoot: () => inNamespace(SMALL_SHM) },
  'a filter that refuses process_vm_readv': {
    asUser: [standIn('refuse'), 'reads'],
    told: { python: /^process_vm_readv is refused here .*\/proc\/PID\/mem/ },
  },
  'Yama’s ptrace_scope 2': {
    asRoot: underYama('2'),
    lost: { python: /may not be read: process_vm_readv: .* \(Yama, ptrace_scope 2\)/ },
    notices: [/^Python's stacks are not read from outside\. .* \(Yama, ptrace_scope 2\)/],
  },
};

/** How `user` is started there; several times in one folder. */
export function through({ asRoot, asUser }: Refusal, user: number, folder: string): string[] {
  return [...(asRoot?.(folder) ?? []), ...withoutRights(user), ...(asUser ?? [])];
}
