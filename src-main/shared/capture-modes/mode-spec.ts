import type { CaptureProfile } from './profiles.ts';

/** What the agent found on a host when it tried what it can record. */
interface FoundOnHost {
  /** All kinds of events can be had. */
  readonly isWhole: boolean;
  /** It gets all kinds of events of the mode, but not all events of each. */
  readonly isPartial: boolean;
  /** What the first mode would need here: “Full capture needs a VM”. */
  readonly bestNeeds: string;
}

/** Of what is captured, what makes a difference to the cost. */
export interface CostFactors {
  readonly profiles: readonly CaptureProfile[];
  readonly wholeMachine: boolean;
  /** The agent's library is in the job too. */
  readonly hasLibrary: boolean;
}

/** A way to capture: all that the app, the command line and the preflight know of it. */
export interface CaptureModeSpec {
  /** In requests, on the wire and in JSON: it never changes. */
  readonly id: string;
  /** “A full capture”. */
  readonly noun: string;
  /** What the agent's `record` is told. */
  readonly agentArguments: readonly string[];
  /** By the agent's library in the job, which is launched with it, or has a line pasted into it. */
  readonly fromInside: boolean;
  /** What the GPU did can be recorded, by that library, whoever records the rest. */
  readonly hasGpuRecords: boolean;
  /** Page faults, system calls and the like can be asked for. */
  readonly hasProfiles: boolean;
  /** The rate of CPU samples can be chosen; else it is the agent's own. */
  readonly hasCpuSamples: boolean;
  /** Its cost depends on how fast the host runs probes. */
  readonly usesProbes: boolean;
  /** What `stalltrace check` exits with where this is the best that can be had. */
  readonly exit: { readonly code: number; readonly helps: string; readonly means?: string };
  /** How it is chosen where a better one is possible too; absent for the best. */
  readonly choice?: {
    /** Of `stalltrace capture`, and its line in the help. */
    readonly option: string;
    readonly optionHelp: string;
    /** On the screen. */
    readonly label: string;
  };
  /** Absent where nothing of weight is missing: what is said of a mode that sees less. */
  readonly limits?: {
    /** What is done where a better one was asked for: “so it would only sample”. */
    readonly instead: string;
    /** What it does instead, and that one can go on. */
    readonly explanation: string;
    /** Before it starts. */
    readonly warning: string;
    /** Where the slowest calls would be listed; absent where it sees them. */
    readonly noCalls?: string;
    /** Beside the name of a capture. */
    readonly badge: string;
  };
  /** What it promises on a host. What it sees there and what not is the agent's to say. */
  headline(found: FoundOnHost): string;
  /** What it costs the job: one sentence, or two. */
  cost(factors: CostFactors): string;
}
