import { execFile } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const BACKGROUND_POLL_MS = 1000;

/**
 * Calls `pressed` for what is typed at the terminal, or sent through a pipe. A job in the background
 * that reads its terminal is stopped (SIGTTIN), and Node can't ignore that signal: so the terminal
 * is read only while this process is in its foreground.
 */
export function onEnter(pressed: () => void): void {
  if (!canPressEnter()) return;
  const { stdin } = process;
  // A terminal that was closed fails its reader; SIGHUP says the same.
  stdin.on('error', () => stdin.pause());
  // Paused first: a listener for data starts the reading unless that was asked for.
  if (stdin.isTTY) stdin.pause();
  stdin.on('data', pressed);
  stdin.unref?.();
  if (stdin.isTTY) followJob(stdin);
}

/** Reads the terminal whenever this job is the one in its foreground. */
function followJob(terminal: typeof process.stdin): void {
  async function follow(): Promise<void> {
    if (await isInForeground()) {
      terminal.resume();
      return;
    }
    terminal.pause();
    // `fg` of a job that runs tells it nothing.
    setTimeout(() => void follow(), BACKGROUND_POLL_MS).unref();
  }
  void follow();
  // A job that was stopped and goes on may do so in the background.
  process.on('SIGCONT', () => void follow());
}

/** A terminal, a pipe or a socket: nobody presses a key in a file. */
export function canPressEnter(): boolean {
  try {
    const stat = fstatSync(0);
    return process.stdin.isTTY || stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

async function isInForeground(): Promise<boolean> {
  if (process.platform === 'win32') return true;
  try {
    const { group, foreground } =
      process.platform === 'linux'
        ? jobOfStat(await readFile('/proc/self/stat', 'utf8'))
        : await jobByPs();
    return group === foreground;
  } catch {
    return false;
  }
}

interface Job {
  readonly group: number;
  /** The process group in the foreground of the terminal; -1 without one. */
  readonly foreground: number;
}

/** `pgrp` and `tpgid` of proc_pid_stat(5). The name, second, may hold anything, also parentheses. */
export function jobOfStat(stat: string): Job {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { group: Number(fields[2]), foreground: Number(fields[5]) };
}

async function jobByPs(): Promise<Job> {
  const args = ['-o', 'pgid=,tpgid=', '-p', String(process.pid)];
  const { stdout } = await promisify(execFile)('ps', args);
  const [group, foreground] = stdout.trim().split(/\s+/).map(Number);
  return { group: group ?? -1, foreground: foreground ?? -2 };
}
