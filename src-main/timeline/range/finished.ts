/** What steps come to, with no pause between them. */
export function finished<Value>(steps: Iterator<undefined, Value, undefined>): Value {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
