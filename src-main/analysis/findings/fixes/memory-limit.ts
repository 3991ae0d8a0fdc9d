import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatBytes } from '../../../shared/text/units.ts';
import type { RankFacts } from '../facts/facts.ts';
import { workersAtOnce } from '../facts/job-shape.ts';
import type { MemoryLimit } from '../facts/memory-limit.ts';
import { kernelDocs } from './sources.ts';

type Limit = Pick<MemoryLimit, 'bytes' | 'file'> & Partial<MemoryLimit>;

const MIB = 2 ** 20;
/** Of the limit: from here on processes leave files little room, and fewer of them would. Our own choice. */
const OWN_AT_LEAST = 0.5;
/** What is in swap now is not all that a job may want at a time. Our own choice. */
const SPARE = 1.1;

/** A higher limit, and what to do where none can be had. */
export function memoryLimitFix(facts: RankFacts, limit: Limit): Fix {
  const { bytes, file, ownBytes, isSwapping = false, swapBytes = 0 } = limit;
  const isOfFiles = limit.isOfFiles === true && !isSwapping;
  const isKnown =
    isSwapping && swapBytes > 0 && limit.isSwapApart === true && limit.isOfFiles === false;
  const raised = Math.ceil(isKnown ? ((bytes + swapBytes) * SPARE) / MIB : (2 * bytes) / MIB);
  const isCrowded = ownBytes !== undefined && ownBytes >= bytes * OWN_AT_LEAST;
  const fewer =
    isCrowded && workersAtOnce(facts) > 1
      ? ' Each worker is a whole interpreter, and they leave files little room here: one worker less leaves them more.'
      : '';
  const start = isKnown
    ? `Up to ${formatBytes(swapBytes)} were in swap: start with a limit that has room for these too.`
    : `How much is enough the trace does not show: start with twice as much, and see whether ${isOfFiles ? 'data is still read again' : 'it is still reached'}.`;
  const how =
    file === 'memory.high'
      ? highText(limit, raised)
      : `With Docker it is \`--memory=${raised}m\`, with Kubernetes \`resources.limits.memory: ${raised}Mi\`; the line below sets it in the control group itself.`;
  const less = isOfFiles
    ? 'keep the data smaller (compressed, half precision), or read each part of it once and use all of it before the next'
    : 'keep less in memory: large tables in arrays that are mapped from a file, state in half precision or on the GPU, fewer batches ahead (prefetch_factor)';
  return {
    title: `Raise the memory limit of ${formatBytes(bytes)}, or ${isOfFiles ? 'read less at a time' : 'keep less in memory'}`,
    text: `${start} ${how} $CGROUP is the folder of the job’s control group under /sys/fs/cgroup. If no more can be had, ${less}.${fewer}`,
    ...commands(limit, raised),
    language: 'shell',
    sources: [
      kernelDocs('Control Group v2, memory interface files', 'admin-guide/cgroup-v2.html'),
      kernelDocs('Memory Resource Controller', 'admin-guide/cgroup-v1/memory.html'),
    ],
  };
}

/** The least that memory.max has to be for memory.high to be `raised`, MiB; undefined where it may stay as it is. */
function raisedHard({ bytes, hardBytes }: Limit, raised: number): number | undefined {
  if (hardBytes === undefined || raised * MIB < hardBytes) return undefined;
  return raised + Math.ceil(Math.max(MIB, hardBytes - bytes) / MIB);
}

/** Docker and Kubernetes set the hard limit. */
function highText(limit: Limit, raised: number): string {
  const text = `Above memory.high the kernel slows processes down on purpose and kills none; with a systemd service it is \`MemoryHigh=${raised}M\`; below, it is set in the control group itself.`;
  const hard = raisedHard(limit, raised);
  if (limit.hardBytes === undefined || hard === undefined)
    return `${text} “max” there leaves memory.max alone.`;
  return `${text} At memory.max, ${formatBytes(limit.hardBytes)}, it kills: so both have to be raised, and this one is \`MemoryMax=${hard}M\`, with Docker \`--memory=${hard}m\`, with Kubernetes \`resources.limits.memory: ${hard}Mi\`.`;
}

function commands(limit: Limit, raised: number): Pick<Fix, 'before' | 'after'> {
  const { file } = limit;
  const hard = file === 'memory.high' ? raisedHard(limit, raised) : undefined;
  if (hard !== undefined)
    return {
      before: 'cat "$CGROUP/memory.high" "$CGROUP/memory.max"   # bytes',
      after: `echo ${hard}M > "$CGROUP/memory.max"
echo ${raised}M > "$CGROUP/memory.high"`,
    };
  return {
    before: `cat "$CGROUP/${file}"   # bytes; of version 1, memory.limit_in_bytes`,
    after: `echo ${raised}M > "$CGROUP/${file}"${file === 'memory.max' ? '   # of version 1, memory.limit_in_bytes' : ''}`,
  };
}
