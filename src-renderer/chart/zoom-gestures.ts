import { select } from 'd3-selection';
import { type D3ZoomEvent, zoom } from 'd3-zoom';
import { MIN_WINDOW_NS, type TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import { clamp } from '../lib/clamp.ts';
import { transformToWindow, windowToTransform } from './zoom-transform.ts';

interface ZoomTarget {
  readonly lengthNs: () => number;
  readonly width: () => number;
  readonly window: () => TimeWindow;
  show(window: TimeWindow): void;
  /** Zooms by `factor` around a place, pixels from the left. */
  zoom(factor: number, atPixels: number): void;
  /** Moves by pixels. */
  pan(pixels: number): void;
  /** Scrolls the tracks by pixels. */
  scroll(pixels: number): void;
  isSpaceHeld(): boolean;
  /** Whether a wheel without a modifier zooms; else it scrolls. */
  wheelZooms(): boolean;
}

const MIDDLE_BUTTON = 1;
/** Pixels of one line of a wheel that reports lines. */
const LINE_PIXELS = 16;

type WheelMeaning = 'zoom' | 'pan' | 'scroll';

/** What a turn of the wheel asks for. A pinch on a touchpad comes with Ctrl. */
export function wheelMeaning(
  event: Pick<WheelEvent, 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'deltaX' | 'deltaY'>,
  wheelZooms: boolean,
): WheelMeaning {
  if (event.ctrlKey || event.metaKey) return 'zoom';
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return 'pan';
  return wheelZooms && !event.altKey ? 'zoom' : 'scroll';
}

/** Pinches, and drags with Shift, Space or the middle button; the rest is left alone. */
function isZoomGesture(event: Event, isSpaceHeld: boolean): boolean {
  if (event instanceof WheelEvent) return false;
  if (event instanceof MouseEvent)
    return (
      event.button === MIDDLE_BUTTON || (event.button === 0 && (event.shiftKey || isSpaceHeld))
    );
  return 'touches' in event && (event as TouchEvent).touches.length > 1;
}

const wheelPixels = ({ deltaX, deltaY, deltaMode }: WheelEvent): number =>
  (deltaY === 0 ? deltaX : deltaY) * (deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PIXELS : 1);

/** A pinch on a touchpad comes as small steps, a wheel's notch as one of about 100. */
function wheelFactor(event: WheelEvent): number {
  const pixels = wheelPixels(event);
  return 2 ** (-clamp(pixels, -120, 120) * (Math.abs(pixels) < 40 ? 0.012 : 0.004));
}

/**
 * d3-zoom on an element: gestures become windows of time. The window is the truth: it is written
 * into d3's transform before each gesture, so that keys and the minimap can move it in between.
 * The wheel is not d3's: it takes wheels within 150 ms for one gesture and would undo such a move,
 * and it leaves a zoom that changes nothing to the browser, which zooms the page.
 */
export function attachZoom(element: HTMLElement, target: ZoomTarget): () => void {
  const selection = select<HTMLElement, unknown>(element);
  const sync = () => {
    const transform = windowToTransform(target.window(), target.lengthNs(), target.width());
    selection.property('__zoom', transform);
  };
  const behaviour = zoom<HTMLElement, unknown>()
    .filter((event: Event) => {
      const accepted = isZoomGesture(event, target.isSpaceHeld());
      if (accepted) {
        sync();
        limit();
      }
      return accepted;
    })
    .on('zoom', ({ transform, sourceEvent }: D3ZoomEvent<HTMLElement, unknown>) => {
      if (sourceEvent === null) return;
      target.show(transformToWindow(transform, target.lengthNs(), target.width()));
    });
  const limit = () => {
    const width = target.width();
    behaviour
      .scaleExtent([1, Math.max(1, target.lengthNs() / MIN_WINDOW_NS)])
      .extent([
        [0, 0],
        [width, 1],
      ])
      .translateExtent([
        [0, Number.NEGATIVE_INFINITY],
        [width, Number.POSITIVE_INFINITY],
      ]);
  };
  const onWheel = (event: WheelEvent) => {
    const meaning = wheelMeaning(event, target.wheelZooms());
    // The browser scrolls by itself, smoothly; with Alt some go back in their history instead.
    if (meaning === 'scroll' && !event.altKey) return;
    event.preventDefault();
    if (meaning === 'scroll') target.scroll(wheelPixels(event));
    else if (meaning === 'pan') target.pan(event.deltaX === 0 ? event.deltaY : event.deltaX);
    else target.zoom(wheelFactor(event), event.clientX - element.getBoundingClientRect().left);
  };
  const onMouseDown = (event: MouseEvent) => {
    if (event.button === MIDDLE_BUTTON) event.preventDefault();
  };
  element.addEventListener('wheel', onWheel, { passive: false });
  element.addEventListener('mousedown', onMouseDown);
  selection.call(behaviour).on('dblclick.zoom', null);
  return () => {
    selection.on('.zoom', null);
    element.removeEventListener('wheel', onWheel);
    element.removeEventListener('mousedown', onMouseDown);
  };
}
