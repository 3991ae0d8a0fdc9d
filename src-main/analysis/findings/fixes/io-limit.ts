import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { IoLimit } from '../facts/io-limit.ts';
import { kernelDocs } from './sources.ts';

/** `12.0 MiB/s`, `100 reads a second`. */
export function rateText(
  { unit }: Pick<IoLimit, 'unit'>,
  value: number,
  requests: 'reads' | 'writes',
): string {
  return unit === 'MiB/s'
    ? `${value.toFixed(1)} MiB/s`
    : `${Math.round(value)} ${requests} a second`;
}

/** How a limit of what a control group may do of a device is lifted, after `text` on what else helps. */
export function limitFix(
  { device, unit }: Pick<IoLimit, 'device' | 'unit'>,
  {
    what,
    title,
    text,
  }: { readonly what: 'read' | 'write'; readonly title: string; readonly text: string },
): Fix {
  const kind = unit === 'MiB/s' ? 'bps' : 'iops';
  const number = /^\d+:\d+$/.test(device)
    ? device
    : `$(lsblk -ndo MAJ:MIN /dev/${device} | tr -d ' ')`;
  const service = `IO${what === 'read' ? 'Read' : 'Write'}${kind === 'bps' ? 'Bandwidth' : 'IOPS'}Max=`;
  return {
    title,
    text: `${text} With Docker the limit is \`--device-${what}-${kind}\`, with a systemd service \`${service}\`; the line below lifts it in the control group itself, with the number that lsblk shows for ${device}. $CGROUP is the folder of the job’s control group under /sys/fs/cgroup; of version 1 the file is blkio.throttle.${what}_${kind}_device, and 0 lifts it.`,
    before: 'cat "$CGROUP/io.max"   # of each device what may be read and written in a second',
    after: `echo "${number} ${what[0]}${kind}=max" > "$CGROUP/io.max"`,
    language: 'shell',
    sources: [
      kernelDocs('Control Group v2, IO interface files', 'admin-guide/cgroup-v2.html'),
      kernelDocs('Block IO Controller', 'admin-guide/cgroup-v1/blkio-controller.html'),
    ],
  };
}
