/** A pointer moved less than this is a click, CSS pixels. */
const DRAG_PIXELS = 4;

export interface Pointer {
  readonly x: number;
  readonly y: number;
  readonly altKey: boolean;
}

interface DragHandlers {
  /** The direction in which a move makes a drag of a press. */
  readonly along: 'x' | 'y';
  /** Whether this press starts a drag; others are left to somebody else. */
  accepts(event: PointerEvent): boolean;
  hover(pointer: Pointer): void;
  leave(): void;
  drag(from: Pointer, to: Pointer): void;
  drop(from: Pointer, to: Pointer): void;
  click(pointer: Pointer): void;
  cancel(): void;
}

/** Hover, click and drag of one pointer on an element, coordinates relative to it. Returns how to stop. */
export function attachDrag(element: HTMLElement, handlers: DragHandlers): () => void {
  let from: Pointer | undefined;
  let isDragging = false;
  const pointerOf = ({ clientX, clientY, altKey }: PointerEvent): Pointer => {
    const box = element.getBoundingClientRect();
    return { x: clientX - box.left, y: clientY - box.top, altKey };
  };
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || !handlers.accepts(event)) return;
    from = pointerOf(event);
    isDragging = false;
    element.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent) => {
    const to = pointerOf(event);
    if (from === undefined) {
      handlers.hover(to);
      return;
    }
    isDragging ||= Math.abs(to[handlers.along] - from[handlers.along]) >= DRAG_PIXELS;
    if (isDragging) handlers.drag(from, to);
  };
  const onUp = (event: PointerEvent) => {
    if (from === undefined) return;
    if (isDragging) handlers.drop(from, pointerOf(event));
    else handlers.click(pointerOf(event));
    from = undefined;
  };
  const onCancel = () => {
    if (from !== undefined && isDragging) handlers.cancel();
    from = undefined;
  };
  const onLeave = () => handlers.leave();
  const listeners = [
    ['pointerdown', onDown],
    ['pointermove', onMove],
    ['pointerup', onUp],
    ['pointercancel', onCancel],
    ['pointerleave', onLeave],
  ] as const;
  for (const [type, listener] of listeners)
    element.addEventListener(type, listener as EventListener);
  return () => {
    for (const [type, listener] of listeners)
      element.removeEventListener(type, listener as EventListener);
  };
}
