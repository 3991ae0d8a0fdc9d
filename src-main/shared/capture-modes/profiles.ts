/** What can be recorded on request, where a mode allows it. */
export const captureProfiles = ['faults', 'page-allocs', 'syscalls', 'off-cpu-stacks'] as const;
export type CaptureProfile = (typeof captureProfiles)[number];

/** Of the run time of a DataLoader job that used all CPUs, in percent: docs/agent.md, "What is recorded". */
export const PROFILE_RUN_TIME: Readonly<Record<Exclude<CaptureProfile, 'off-cpu-stacks'>, number>> =
  {
    faults: 10.7,
    'page-allocs': 4.7,
    syscalls: 3.7,
  };
/** Of recording where each thread was when it left a CPU. */
export const STACK_COST = '0.6–0.8 µs';
