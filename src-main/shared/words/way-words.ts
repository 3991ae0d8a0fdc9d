/** What a recording was made from, in the words of the agent's `check`, by the name that a trace has for it (`capability`). */
const labels: Readonly<Record<string, string>> = {
  bpf: 'Kernel events, by BPF',
  inside: 'From inside the job',
  imports: 'From inside, without CUPTI',
  perf_switch: 'Switches, by perf',
  python: 'Python from outside',
  proc: 'Samples of /proc',
  gpu_samples: 'Samples of the GPUs',
  machine: 'Samples of the machine',
};

/** As people read it; what is no way to record has no words of its own. */
export const wayLabel = (name: string) => labels[name] ?? name;
