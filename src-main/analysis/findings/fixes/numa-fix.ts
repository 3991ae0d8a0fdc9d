import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { cpuList, cpuRanges } from '../facts/cpu-facts.ts';
import type { RankFacts } from '../facts/facts.ts';
import { type GpuPlace, nearCpus, nearNodes } from '../facts/numa-places.ts';
import { kernelDocs, pytorchDocs, pytorchIssue } from './sources.ts';

const sources = [
  pytorchDocs(
    'NUMA binding, on what it brings: 1 to 10 % of the whole',
    'docs/main/elastic/numa.html',
  ),
  pytorchIssue(115305, 'a script that binds each rank to the node of its GPU'),
  pytorchIssue(160420, 'pinned memory is kept for whoever asks next, on whatever node it lies'),
];

/** Keeps the process, or each rank, on the node of its GPU. */
export function numaFix({ trace, rank, siblings }: RankFacts, place: GpuPlace): Fix {
  const near = nearCpus(trace, place);
  const group = cpuList(trace.processes[rank.process]?.groupCpus);
  if (group !== undefined && !near.some((cpu) => group.includes(cpu)))
    return groupFix(trace, place, near);
  return siblings.length > 0 ? ranksFix(siblings.length + 1, place) : processFix(place);
}

/** `NUMA node 0, where its GPU is`: a socket may have several. */
function nodesText(nodes: readonly number[]): string {
  return nodes.length === 1
    ? `NUMA node ${nodes[0]}, where its GPU is`
    : `NUMA nodes ${cpuRanges(nodes, '-').join(',')}, the socket of its GPU`;
}

function processFix(place: GpuPlace): Fix {
  const { node } = place;
  const near = nearNodes(place);
  const nodes = cpuRanges(near, '-').join(',');
  return {
    title: `Run the job on ${nodesText(near)}`,
    text: `Memory lies on the node of the thread that touches it first, and pinned memory stays there. So the job has to be there from its start: its workers and its pin-memory thread come after it. Where ${near.length === 1 ? 'the node has' : 'these nodes have'} too little memory, \`--preferred=${node}\` takes the place of \`--membind\`. A container that lacks CAP_SYS_NICE refuses to bind memory: leave it out there, the CPUs are what matters. If several jobs share the machine, give each the ${near.length === 1 ? 'node' : 'socket'} of its own GPU (\`nvidia-smi topo -m\` shows them).`,
    before: 'python train.py',
    after: `numactl --cpunodebind=${nodes} --membind=${nodes} python train.py`,
    language: 'shell',
    sources,
  };
}

function ranksFix(ranks: number, place: GpuPlace): Fix {
  const isOne = nearNodes(place).length === 1;
  const [kind, what] = isOne ? ['node', 'NUMA node'] : ['socket', 'socket'];
  return {
    title: `Bind each rank to the ${what} of its own GPU`,
    text: `torchrun of PyTorch 2.9 or newer does that before a rank begins, so that its pinned memory lies there too. With an older one, or another launcher, start each rank under \`numactl --cpunodebind=N --membind=N\`, N being the ${isOne ? 'node of its GPU' : 'nodes of the socket of its GPU, as 0-3'} (\`nvidia-smi topo -m\` shows ${isOne ? 'it' : 'which node that GPU is at'}), or call \`os.sched_setaffinity\` with the CPUs of that ${kind} before anything is pinned.`,
    before: `torchrun --nproc_per_node=${ranks} train.py`,
    after: `torchrun --numa-binding=${kind} --nproc_per_node=${ranks} train.py`,
    language: 'shell',
    sources,
  };
}

/** No process can leave its cpuset. */
function groupFix({ gpus }: Trace, place: GpuPlace, near: readonly number[]): Fix {
  const { gpu } = place;
  const nodes = nearNodes(place);
  const cpus = cpuRanges(near, '-').join(',');
  const address = gpus[gpu]?.pciBusId === undefined ? '' : ` (${gpus[gpu].pciBusId})`;
  return {
    title: `Give the job’s control group CPUs of ${nodesText(nodes)}`,
    text: `The control group leaves the job no CPU near its GPU${address}, and the job can’t change that by itself. With Docker it is \`--cpuset-cpus\` and \`--cpuset-mems\`, with Slurm \`--gpu-bind=closest\`, with Kubernetes the topology manager’s policy \`single-numa-node\`; the lines below set it in the control group itself. $CGROUP is the folder of the job’s control group under /sys/fs/cgroup. Or take a GPU of the ${nodes.length === 1 ? 'node' : 'socket'} that the job may use.`,
    before: 'cat "$CGROUP/cpuset.cpus" "$CGROUP/cpuset.mems"',
    after: `echo ${cpus} > "$CGROUP/cpuset.cpus"
echo ${cpuRanges(nodes, '-').join(',')} > "$CGROUP/cpuset.mems"`,
    language: 'shell',
    sources: [
      ...sources.slice(0, 1),
      kernelDocs('Control Group v2, cpuset interface files', 'admin-guide/cgroup-v2.html'),
    ],
  };
}
