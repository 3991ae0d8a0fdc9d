import { type ChildProcess, fork as forkNode } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AppDouble, appDouble } from './app.ts';
import { requireReady, StrictEmitter, strict } from './strict.ts';

const PARENT_PORT = new URL('./parent-port.ts', import.meta.url).href;

interface ForkOptions {
  readonly stdio?: readonly ('pipe' | 'ignore' | 'inherit')[];
  readonly serviceName?: string;
  readonly execArgv?: readonly string[];
}
const OPTIONS: readonly string[] = [
  'stdio',
  'serviceName',
  'execArgv',
] satisfies (keyof ForkOptions)[];

/** A utility process as a Node child whose `process.parentPort` parent-port.ts puts in place. */
class UtilityProcessDouble extends StrictEmitter {
  readonly #child: ChildProcess;
  #pid: number | undefined;

  constructor(modulePath: string, args: readonly string[], options: ForkOptions) {
    super('UtilityProcess', ['spawn', 'exit', 'message', 'error']);
    const [stdin = 'ignore', stdout = 'inherit', stderr = 'inherit'] = options.stdio ?? [];
    if (stdin !== 'ignore')
      throw new Error('electron double: stdin of a utility process is ignored');
    this.#child = forkNode(modulePath, [...args], {
      execArgv: [...(options.execArgv ?? []), '--import', PARENT_PORT],
      serialization: 'advanced',
      stdio: ['ignore', stdout, stderr, 'ipc'],
    });
    // Electron's utility processes never outlive it, started or starting.
    AppDouble.onExit(appDouble, () => this.#end());
    this.#child.once('spawn', () => {
      this.#pid = this.#child.pid;
      this.emit('spawn');
    });
    this.#child.on('message', (message) => this.emit('message', message));
    // `close`, not `exit`: Electron delivers what was written before it reports the end, mostly.
    this.#child.once('close', (code, signal) => {
      this.#pid = undefined;
      this.emit('exit', code ?? (signal === null ? 1 : 128));
    });
  }

  async #end(): Promise<void> {
    const running = this.#child.exitCode === null && this.#child.signalCode === null;
    if (running && this.#child.kill('SIGKILL')) await once(this.#child, 'exit');
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  get stderr() {
    return this.#child.stderr;
  }

  get stdout() {
    return this.#child.stdout;
  }

  postMessage(message: unknown): void {
    const cloned = structuredClone(message) as object;
    // Electron drops what is posted to a process that has ended.
    if (this.#child.connected) this.#child.send(cloned, () => undefined);
  }

  kill(): boolean {
    return this.#pid !== undefined && this.#child.kill('SIGTERM');
  }
}

export const utilityProcessDouble = {
  fork(modulePath: string, args: readonly string[] = [], options: ForkOptions = {}) {
    requireReady('utilityProcess.fork');
    const unknown = Object.keys(options).find((option) => !OPTIONS.includes(option));
    if (unknown !== undefined) throw new Error(`electron double: fork option ${unknown}`);
    const path = modulePath.startsWith('file:') ? fileURLToPath(modulePath) : modulePath;
    return strict('UtilityProcess', new UtilityProcessDouble(path, args, options));
  },
};
