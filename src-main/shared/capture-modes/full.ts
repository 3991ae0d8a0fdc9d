import type { CaptureModeSpec, CostFactors } from './mode-spec.ts';
import { perSwitchCosts, runTimePercentOf } from './profiles.ts';

/** Of the run time, in percent, without any profile: docs/agent.md, "What a capture is made from". */
const BY_BPF = 3.7;
/** With the agent's library in the job too, against a stand-in for CUPTI. */
const WITH_LIBRARY = 6.0;

/** Every event, by eBPF: needs root's rights and a kernel that allows it. */
export const full = {
  id: 'full',
  noun: 'A full capture',
  agentArguments: [],
  fromInside: false,
  hasGpuRecords: true,
  hasProfiles: true,
  hasCpuSamples: true,
  usesProbes: true,
  exit: { code: 0, helps: 'full captures' },
  headline({ isWhole, isPartial }) {
    if (isPartial) return 'Full capture works here, but some events will be missing: see which.';
    return isWhole
      ? 'Full capture works here.'
      : 'Full capture works here, but some kinds of events cannot be recorded: see which.';
  },
  cost({ profiles, wholeMachine, hasLibrary }) {
    const percent = (hasLibrary ? WITH_LIBRARY : BY_BPF) + runTimePercentOf(profiles);
    const switches = perSwitchCosts(profiles).map(
      (each) => `, and ${each} for each time a thread leaves a CPU`,
    );
    return `Expected cost: about +${percent.toFixed(1)} % run time while it records, as measured on a job that used all CPUs${switches.join('')}.${hasLibrary ? ' CUPTI’s own cost comes on top: this figure was measured without a GPU.' : ''}${wholeMachine ? machineText(profiles) : ''}`;
  },
} as const satisfies CaptureModeSpec;

function machineText(profiles: CostFactors['profiles']): string {
  const kinds =
    profiles.length === 0 ? '' : ' With more kinds of events, the recorder may not keep up.';
  return ` For the whole machine it is more: every process pays it.${kinds}`;
}
