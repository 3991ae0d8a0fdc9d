/** The time, for what is shown as passing: use it in an effect that runs while it is on the screen. */
export class Clock {
  #nowMs = $state(Date.now());

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Goes on until the returned function is called. */
  run(): () => void {
    const timer = setInterval(() => {
      this.#nowMs = Date.now();
    }, 1_000);
    return () => clearInterval(timer);
  }
}
