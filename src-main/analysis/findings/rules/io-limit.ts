import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration } from '../../../shared/text/units.ts';
import { awaitedFilesText } from '../facts/awaited-files.ts';
import { claimed, evidence, joinedRefs } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { type HeldBack, heldBackBy } from '../facts/io-limit.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { makersOf } from '../facts/loader-work.ts';
import { kernelDocs } from '../fixes/sources.ts';
import { idleDevice } from '../judging/links.ts';
import { blockIo, completeSwitches } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

const claims = ({ phase, cause }: CostCell) => phase === 'input' && cause === 'disk';

/** The job’s control group may read no faster, and reads as fast as it may: the disk could do more. */
export const ioLimit: Rule = { id: 'io-limit', needs: [completeSwitches, blockIo], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const limit = heldBackBy(facts);
  const cost = claimed(facts.costs, claims);
  if (limit === undefined || !isWorthTelling(facts, cost.ns)) return undefined;
  const { waitNs, deviceNs } = limit;
  const files = awaitedFilesText(facts);
  const allowed = rateText(limit, limit.limit.mean);
  const used = evidence(
    `The job’s control group may read ${allowed} from ${limit.device}, and read ${rateText(limit, limit.done.mean)} on average`,
    'aggregated',
    joinedRefs([limit.limit.events, limit.done.events]),
  );
  const held = evidence(
    deviceNs === undefined
      ? `A wait for the disk took ${formatDuration(waitNs)} (median); the device’s own time is not known`
      : `A wait for the disk took ${formatDuration(waitNs)}, the device ${formatDuration(deviceNs)} for a read (medians): most of the wait was before the request reached it`,
    deviceNs === undefined ? 'unknown' : 'exact',
  );
  const waited = evidence(
    `The training loop waited ${shareText(facts, cost.ns)} for data from a disk`,
    'exact',
    cost.events,
  );
  return {
    title: `An I/O limit of ${allowed} holds back the reading of data`,
    sentence: `${used.text}. ${waited.text}${files === undefined ? '' : `, ${files}`}.`,
    confidence: deviceNs === undefined ? 'possible' : 'likely',
    evidence: [used, held, waited],
    hotThreads: makersOf(facts),
    claims,
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: fixFor(limit, allowed),
    chain: { system: used, host: waited, cuda: idleDevice(facts, claims) },
  };
}

function rateText({ unit }: HeldBack, value: number): string {
  return unit === 'MiB/s' ? `${value.toFixed(1)} MiB/s` : `${Math.round(value)} reads a second`;
}

function fixFor({ device, unit }: HeldBack, allowed: string): Fix {
  const isBytes = unit === 'MiB/s';
  const key = isBytes ? 'rbps' : 'riops';
  return {
    title: `Lift the limit of ${allowed} on ${device}`,
    text: `A faster disk changes nothing as long as the limit is there; data on a device without one does, and so do fewer bytes${isBytes ? ' (compressed, half precision)' : ' in larger reads'}. With Docker the limit is \`--device-read-${isBytes ? 'bps' : 'iops'}\`, of a systemd service \`IORead${isBytes ? 'Bandwidth' : 'IOPS'}Max=\`; below is what both write, with the number of ${device} that lsblk shows. $CGROUP is the folder of the job’s control group under /sys/fs/cgroup; of version 1 the file is blkio.throttle.read_${isBytes ? 'bps' : 'iops'}_device, and 0 lifts it.`,
    before: 'cat "$CGROUP/io.max"   # of each device what may be read and written in a second',
    after: `echo "$(lsblk -ndo MAJ:MIN /dev/${device} | tr -d ' ') ${key}=max" > "$CGROUP/io.max"`,
    language: 'shell',
    sources: [
      kernelDocs('Control Group v2, IO interface files', 'admin-guide/cgroup-v2.html'),
      kernelDocs('Block IO Controller', 'admin-guide/cgroup-v1/blkio-controller.html'),
    ],
  };
}
