import { z } from 'zod';
import { captureModes } from '../../shared/capture-modes/modes.ts';
import { pastedLine } from '../../shared/remote/pasted-line.ts';
import { runId } from '../../shared/remote/run.ts';
import { parseJson } from '../../shared/text/parse-json.ts';
import { cleanText } from '../../shared/text/text.ts';

/** Lines of the agent (docs/agent.md, "Lines for programs") as far as a capture is followed by them. */

const MOST_KINDS = 64;
const TEXT_LENGTH = 2000;

const whole = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** Unix ns are beyond 2^53: exact to some hundred ns, which is more than is needed here. */
const unixNs = z.number().nonnegative();
const text = z.string().transform((raw) => cleanText(raw, TEXT_LENGTH));
const name = z.string().transform((raw) => cleanText(raw, 200));
const path = z.string().max(4096);
const percent = z.number().min(0).max(1e6).nullable();
const counts = z.record(z.string(), whole).transform((raw) =>
  Object.fromEntries(
    Object.entries(raw)
      .slice(0, MOST_KINDS)
      .map(([key, count]) => [cleanText(key, 60), count]),
  ),
);

const slowCall = z.object({
  name,
  pid: whole,
  duration_ns: whole,
  bytes: whole.nullish(),
  /** A code of the file format. */
  direction: whole.nullish(),
});

const agentLine = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('started'),
    time_unix_ns: unixNs,
    run_id: runId.nullable(),
    file: path,
    mode: z.enum(captureModes),
    /** For the user to paste into what runs already. */
    inside_line: pastedLine.nullish(),
    sources: z
      .array(z.object({ name, wanted: z.boolean(), available: z.boolean(), detail: text }))
      .max(MOST_KINDS),
  }),
  z.object({
    event: z.literal('detached'),
    run_id: runId,
    run_directory: path.startsWith('/').refine((raw) => cleanText(raw, 4096) === raw),
    file: path,
  }),
  z.object({
    event: z.literal('progress'),
    elapsed_ns: whole,
    events: whole,
    bytes: whole,
    rows: counts,
    drops: counts,
    cpu_percent: percent,
    gpu_percent: percent,
    agent_cpu_percent: percent,
    /** Processes that are recorded from inside now. */
    inside: whole.default(0),
    processes: whole,
    threads: whole,
    slowest: z.array(slowCall).max(MOST_KINDS),
  }),
  z.object({
    event: z.literal('notice'),
    time_unix_ns: unixNs,
    level: name,
    text,
  }),
  z.object({
    event: z.literal('target-exited'),
    exit_code: z.number().int().nullable(),
    signal: z.number().int().nullish(),
  }),
  z.object({
    event: z.literal('finished'),
    end: name,
    message: text,
    bytes: whole,
    length_ns: whole,
    events: whole,
    rows: counts,
    drops: counts,
    job_running: z.boolean(),
    exit_code: z.number().int().nullable(),
  }),
  z.object({ event: z.literal('error'), code: name, message: text, next: text }),
  z.object({
    event: z.literal('alive'),
    state: z.enum(['running', 'finished', 'died', 'rebooted', 'unreadable']),
    process_alive: z.boolean(),
    heartbeat_age_ns: z.number().nullable(),
  }),
]);
export type AgentLine = z.infer<typeof agentLine>;
export type AgentLineOf<E extends AgentLine['event']> = Extract<AgentLine, { event: E }>;

const EVENTS: ReadonlySet<string> = new Set(
  agentLine.options.map((option) => option.shape.event.value),
);
const anyLine = z.object({ v: z.literal(1), event: z.string() });

/** A line, `unknown` for an event that a later agent tells of, `bad` for what no agent prints. */
export function parseAgentLine(line: string | undefined): AgentLine | 'unknown' | 'bad' {
  return asAgentLine(line === undefined ? undefined : parseJson(line));
}

/** The same of a line that was told within another. */
export function asAgentLine(value: unknown): AgentLine | 'unknown' | 'bad' {
  const known = anyLine.safeParse(value);
  if (!known.success) return 'bad';
  if (!EVENTS.has(known.data.event)) return 'unknown';
  const parsed = agentLine.safeParse(value);
  return parsed.success ? parsed.data : 'bad';
}

const statusRun = z.object({
  run_id: runId,
  run_directory: path,
  state: z.enum(['running', 'finished', 'died', 'rebooted', 'unreadable']),
  process_alive: z.boolean(),
  run: z.object({ file: path }).nullable(),
  finished: z.unknown(),
});
const status = z.object({
  v: z.literal(1),
  runs: z.array(statusRun).max(2000),
  removed: z.array(runId).max(2000).default([]),
  left_out: z.number().int().nonnegative().default(0),
});
const stopped = z.object({
  v: z.literal(1),
  ended: z.boolean(),
  message: text,
  runs: z.array(statusRun).max(2000).default([]),
});
export type StatusRun = z.infer<typeof statusRun>;

/** The captures of a host, but for how many that changed longest ago. */
export interface ListedRuns {
  readonly runs: readonly StatusRun[];
  readonly leftOut: number;
}

/** What `status --json` printed. */
export function parseStatus(line: string | undefined): ListedRuns | undefined {
  const told = status.safeParse(line === undefined ? undefined : parseJson(line)).data;
  return told && { runs: told.runs, leftOut: told.left_out };
}

/** Whether a run is not among those any more of which `status --remove --json` tells. */
export function hasForgotten(line: string | undefined, agentRun: string): boolean {
  const told = status.safeParse(line === undefined ? undefined : parseJson(line)).data;
  if (told === undefined) return false;
  return told.removed.includes(agentRun) || !told.runs.some(({ run_id: id }) => id === agentRun);
}

/** What `stop --json` printed. */
export function parseStopped(line: string | undefined): z.infer<typeof stopped> | undefined {
  return stopped.safeParse(line === undefined ? undefined : parseJson(line)).data;
}
