import { EventEmitter } from 'node:events';

/** Members every object is asked for by the language, by Node's inspector and by await. */
const LANGUAGE_MEMBERS = new Set(['then', 'toJSON', 'constructor', 'inspect', 'nodeType']);

const ready = { value: false };

export function isReady(): boolean {
  return ready.value;
}

export function markReady(): void {
  ready.value = true;
}

/** Throws as Electron does where an API is used before `ready`. */
export function requireReady(api: string): void {
  if (!ready.value) throw new Error(`electron double: ${api} can't be used before app is ready`);
}

/**
 * `target`, except that a member it doesn't have throws instead of being `undefined`: what the
 * double doesn't know must not pass a test by accident. Keeps private fields working.
 */
export function strict<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(object, member) {
      const value: unknown = Reflect.get(object, member, object);
      if (value === undefined && typeof member === 'string' && !(member in object)) {
        if (LANGUAGE_MEMBERS.has(member)) return undefined;
        throw new Error(`electron double: ${name}.${member} is not implemented`);
      }
      return typeof value === 'function' ? value.bind(object) : value;
    },
    set(_object, member) {
      throw new Error(`electron double: ${name}.${String(member)} can't be assigned`);
    },
  });
}

/** An emitter that rejects listeners for events the double never emits. */
export class StrictEmitter extends EventEmitter {
  readonly #name: string;
  readonly #events: readonly string[];

  constructor(name: string, events: readonly string[]) {
    super();
    this.#name = name;
    this.#events = events;
  }

  #check(event: string | symbol): void {
    if (typeof event === 'string' && !this.#events.includes(event)) {
      throw new Error(`electron double: ${this.#name} emits no "${event}"`);
    }
  }

  override on(event: string | symbol, listener: (...args: never[]) => void): this {
    this.#check(event);
    return super.on(event, listener as (...args: unknown[]) => void);
  }

  override once(event: string | symbol, listener: (...args: never[]) => void): this {
    this.#check(event);
    return super.once(event, listener as (...args: unknown[]) => void);
  }
}

/** An Electron event: `details` with a preventDefault whose call can be asked for. */
export function preventable<T extends object>(details: T) {
  let defaultPrevented = false;
  return {
    ...details,
    preventDefault() {
      defaultPrevented = true;
    },
    wasPrevented: () => defaultPrevented,
  };
}
