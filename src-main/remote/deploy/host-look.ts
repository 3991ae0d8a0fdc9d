import { z } from 'zod';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';

/** A folder that ours could stand in, as it was found by trying. */
export interface Place {
  readonly path: string;
  /** Whether traces may go there: what ends with the user's last session is no place for them. */
  readonly traces: boolean;
  readonly state: 'usable' | 'refused' | PlaceProblem;
  /** Our folder is there already. */
  readonly ours: boolean;
  /** Whether a program there can be run. */
  readonly runs: boolean;
  /** `undefined`: not told. */
  readonly freeBytes: number | undefined;
  /** As `stat -f` names it. */
  readonly fileSystem: string;
  /** What the agent there prints, which is the right one by its hash; empty: it isn't there. */
  readonly agentVersion: string;
  /** What the system said where it was `refused`. */
  readonly said: string;
}

export type PlaceProblem = (typeof problems)[number];
const problems = [
  'absent',
  'shared',
  'link',
  'no-folder',
  'foreign',
  'open',
  'unmarked',
  'format',
] as const;

/** What a host is, by its own shell. */
export interface HostLook {
  readonly system: string;
  readonly machine: string;
  readonly kernel: string;
  readonly hostName: string;
  readonly uid: number;
  readonly user: string;
  readonly loginShell: string;
  readonly bootId: string;
  readonly hasGzip: boolean;
  readonly sudo: { readonly code: number; readonly said: string } | undefined;
  readonly places: readonly Place[];
}

const line = (most: number) =>
  z
    .string()
    .max(most)
    .transform((text) => cleanText(text));
/** Absolute, and as it is shown: cleaned it would be another one. */
const path = z
  .string()
  .max(4096)
  .startsWith('/')
  .refine((text) => cleanText(text, 4096) === text);
/** The script asks of six. */
const MOST_PLACES = 16;
/** `undefined`: not told. */
const kibibytes = z
  .string()
  .regex(/^\d{0,12}$/)
  .transform((text) => (text === '' ? undefined : Number(text) * 1024));
const tracesField = z.enum(['traces', 'programs']);

const rows = {
  system: z.tuple([line(64), line(64), line(256), line(256)]),
  user: z.tuple([
    z.coerce.number().int().min(0).max(0xffff_ffff),
    line(256),
    path.or(z.literal('')),
  ]),
  boot: z.tuple([z.string().regex(/^([0-9a-f-]{36})?$/)]),
  sudo: z.tuple([z.coerce.number().int(), line(600)]),
  usable: z.tuple([
    path,
    tracesField,
    z.literal('usable'),
    z.enum(['new', 'ours']),
    z.enum(['runs', 'noexec']),
    kibibytes,
    line(64),
    z.string().max(4096),
  ]),
  refused: z.tuple([
    path,
    tracesField,
    z.literal('refused'),
    z.enum(['new', 'ours']),
    kibibytes,
    line(600),
  ]),
  problem: z.tuple([path, tracesField, z.enum(problems)]),
};

/** What `lookScript` printed. */
export function parseLook(stdout: string): Result<HostLook, 'no-shell'> {
  const lines = stdout.split('\n').map((each) => each.split('\t'));
  const fields = (key: string) => lines.find(([first]) => first === key)?.slice(1);
  const system = rows.system.safeParse(fields('system'));
  const user = rows.user.safeParse(fields('user'));
  const boot = rows.boot.safeParse(fields('boot'));
  const sudo = rows.sudo.safeParse(fields('sudo'));
  if (!system.success || !user.success || !boot.success) {
    const message =
      'The host has no usual commands (uname, id): Stalltrace cannot look at it. Sign in to the machine itself.';
    return fail('no-shell', message, cleanText(stdout, 2000));
  }
  const [kernelName, machine, kernel, hostName] = system.data;
  const [uid, name, loginShell] = user.data;
  return ok({
    system: kernelName,
    machine,
    kernel,
    hostName,
    uid,
    user: name,
    loginShell: loginShell || '/bin/sh',
    bootId: boot.data[0],
    hasGzip: fields('gzip') !== undefined,
    sudo: sudo.success ? { code: sudo.data[0], said: sudo.data[1] } : undefined,
    places: lines
      .flatMap((each) => (each[0] === 'place' ? readPlace(each.slice(1)) : []))
      .slice(0, MOST_PLACES),
  });
}

function readPlace(fields: readonly string[]): Place[] {
  const none = { ours: false, runs: false, freeBytes: undefined, fileSystem: '', agentVersion: '' };
  const usable = rows.usable.safeParse(fields);
  if (usable.success) {
    const [place, traces, state, whose, runs, freeBytes, fileSystem, agentVersion] = usable.data;
    return [
      {
        path: place,
        traces: traces === 'traces',
        state,
        ours: whose === 'ours',
        runs: runs === 'runs',
        freeBytes,
        fileSystem,
        agentVersion,
        said: '',
      },
    ];
  }
  const refused = rows.refused.safeParse(fields);
  if (refused.success) {
    const [place, traces, state, whose, freeBytes, said] = refused.data;
    const ours = whose === 'ours';
    return [{ ...none, path: place, traces: traces === 'traces', state, ours, freeBytes, said }];
  }
  const problem = rows.problem.safeParse(fields);
  if (!problem.success) return [];
  const [place, traces, state] = problem.data;
  return [{ ...none, path: place, traces: traces === 'traces', state, said: '' }];
}
