/** What can be recorded on request, where a mode allows it. */
interface ProfileSpec {
  /** In requests and options, and the agent's word for it. */
  readonly id: string;
  /** The agent's name of what is recorded then: that of its row in agent/src/record/sources. */
  readonly source: string;
  /** On the screen. */
  readonly label: string;
  /** What it adds to the run time of a DataLoader job that used all CPUs: docs/agent.md, "What is recorded". */
  readonly cost: { readonly runTimePercent: number } | { readonly perSwitch: string };
}

/** In the agent's order. */
export const profileSpecs = [
  {
    id: 'faults',
    source: 'page_faults',
    label: 'Page faults, each with its address',
    cost: { runTimePercent: 10.7 },
  },
  {
    id: 'page-allocs',
    source: 'page_allocs',
    label: 'Pages the kernel gave the job',
    cost: { runTimePercent: 4.7 },
  },
  {
    id: 'syscalls',
    source: 'syscalls',
    label: 'System calls of 1 ms or more',
    cost: { runTimePercent: 3.7 },
  },
  {
    id: 'off-cpu-stacks',
    source: 'off_cpu_stacks',
    label: 'Where every thread was each time it left a CPU',
    cost: { perSwitch: '0.6–6 µs' },
  },
] as const satisfies readonly ProfileSpec[];

export type CaptureProfile = (typeof profileSpecs)[number]['id'];

const ids = profileSpecs.map(({ id }) => id);
export const captureProfiles = ids as [CaptureProfile, ...CaptureProfile[]];

/** What the profiles add to the run time, percent; what is paid for each switch is none of it. */
export function runTimePercentOf(profiles: readonly CaptureProfile[]): number {
  return profileSpecs
    .filter(({ id }) => profiles.includes(id))
    .reduce((sum, { cost }) => sum + ('runTimePercent' in cost ? cost.runTimePercent : 0), 0);
}

/** A sentence's part for each that is paid for each switch: “0.6–6 µs”. */
export function perSwitchCosts(profiles: readonly CaptureProfile[]): string[] {
  return profileSpecs.flatMap(({ id, cost }) =>
    profiles.includes(id) && 'perSwitch' in cost ? [cost.perSwitch] : [],
  );
}

/** Beside its name: `+4.7 % run time`. */
export function profileCost({ cost }: Pick<ProfileSpec, 'cost'>): string {
  return 'perSwitch' in cost ? `${cost.perSwitch} a switch` : `+${cost.runTimePercent} % run time`;
}
