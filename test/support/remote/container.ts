import { standIn } from '../agent/agent-run.ts';

/**
 * What runs a server as Docker runs one by default: as root of a PID namespace of its own, with 14 capabilities,
 * its filter of system calls, 64 MB of shared memory, a home and a /var/tmp of its own. There is no Docker on the
 * machine of the tests; of its rules these are the ones that a recording meets.
 */

/** https://docs.docker.com/engine/containers/run/#runtime-privilege-and-linux-capabilities */
const CAPABILITIES = [
  'chown',
  'dac_override',
  'fsetid',
  'fowner',
  'mknod',
  'net_raw',
  'setgid',
  'setuid',
  'setfcap',
  'setpcap',
  'net_bind_service',
  'sys_chroot',
  'kill',
  'audit_write',
];

const MOUNTS = `mount -t tmpfs -o size=64m,mode=1777 none /dev/shm &&
  mount -t tmpfs -o mode=0700 none /root && mount -t tmpfs -o mode=1777 none /var/tmp && exec "$@"`;

/** Words before those of a command. */
export function insideContainer(): string[] {
  const bounds = ['-all', ...CAPABILITIES.map((name) => `+${name}`)].join();
  return [
    ...['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--ipc'],
    ...['sh', '-c', MOUNTS, 'sh'],
    ...['setpriv', '--bounding-set', bounds, '--inh-caps', '-all'],
    ...[standIn('refuse'), 'docker-root'],
  ];
}
