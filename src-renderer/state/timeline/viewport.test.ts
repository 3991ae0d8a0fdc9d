import { describe, expect, test } from 'vitest';
import { SharedViewport, Viewport } from './viewport.svelte.ts';

function viewportAt() {
  const clock = { ms: 0 };
  return { clock, viewport: new Viewport(10_000, () => clock.ms) };
}

describe('viewport', () => {
  test('starts with the whole trace and never leaves it', () => {
    const { viewport } = viewportAt();
    expect(viewport.window).toEqual({ startNs: 0, endNs: 10_000 });
    viewport.zoom(10, 0);
    viewport.pan(-1);
    expect(viewport.window).toEqual({ startNs: 0, endNs: 1_000 });
  });

  test('a gesture is one step back', () => {
    const { viewport, clock } = viewportAt();
    viewport.zoom(2);
    clock.ms += 50;
    viewport.zoom(2);
    clock.ms += 5_000;
    viewport.pan(0.5);
    viewport.back();
    expect(viewport.window).toEqual({ startNs: 3_750, endNs: 6_250 });
    viewport.back();
    expect(viewport.window).toEqual({ startNs: 0, endNs: 10_000 });
    viewport.back();
    expect(viewport.window).toEqual({ startNs: 0, endNs: 10_000 });
  });

  test('a jump is a step of its own, and what follows it at once belongs to it', () => {
    const { viewport } = viewportAt();
    viewport.zoom(2);
    viewport.fit(1_000, 2_000);
    viewport.pan(0.1);
    viewport.back();
    expect(viewport.window).toEqual({ startNs: 2_500, endNs: 7_500 });
    viewport.back();
    expect(viewport.window).toEqual({ startNs: 0, endNs: 10_000 });
  });

  test('after going back there is a way forward, until another gesture', () => {
    const { viewport } = viewportAt();
    viewport.fit(1_000, 2_000);
    const fitted = viewport.window;
    viewport.fit(5_000, 6_000);
    viewport.back();
    viewport.back();
    viewport.forward();
    expect(viewport.window).toEqual(fitted);
    viewport.showAll();
    viewport.forward();
    expect(viewport.window).toEqual({ startNs: 0, endNs: 10_000 });
    viewport.back();
    expect(viewport.window).toEqual(fitted);
  });

  test('what belonged to a view comes back with it', () => {
    let note = 'first';
    const viewport = new Viewport(
      10_000,
      () => 0,
      () => {
        const kept = note;
        return () => {
          note = kept;
        };
      },
    );
    viewport.fit(1_000, 2_000);
    note = 'second';
    viewport.back();
    expect(note).toBe('first');
    viewport.forward();
    expect(note).toBe('second');
  });

  test('revealing what is on screen moves nothing', () => {
    const { viewport } = viewportAt();
    viewport.show({ startNs: 0, endNs: 1_000 });
    viewport.reveal(900, 1_200);
    expect(viewport.window.startNs).toBe(0);
    viewport.reveal(5_000, 5_100);
    expect(viewport.window).toEqual({ startNs: 4_550, endNs: 5_550 });
  });
});

describe('views that are moved together', () => {
  const axis = new Viewport(10_000);
  const early = new SharedViewport(
    8_000,
    () => axis,
    () => 0,
  );
  const late = new SharedViewport(
    6_000,
    () => axis,
    () => -2_000,
  );

  test('show one stretch of the axis, each in its own time', () => {
    axis.showAll();
    expect(late.window).toEqual({ startNs: -2_000, endNs: 8_000 });
    late.zoom(10, 1_000);
    expect(late.window).toEqual({ startNs: 700, endNs: 1_700 });
    expect(early.window).toEqual({ startNs: 2_700, endNs: 3_700 });
    early.pan(1);
    expect(late.window).toEqual({ startNs: 1_700, endNs: 2_700 });
    late.fit(0, 1_000);
    expect(axis.window).toEqual({ startNs: 1_900, endNs: 3_100 });
    early.back();
    expect(late.window).toEqual({ startNs: 1_700, endNs: 2_700 });
    expect(late.axis).toBe(axis);
  });

  test('stay within the axis, where each may be before its begin or behind its end', () => {
    late.centreOn(-5_000);
    expect(early.window.startNs).toBe(0);
    expect(late.window.startNs).toBe(-2_000);
    early.showAll();
    expect(axis.window).toEqual({ startNs: 0, endNs: 10_000 });
  });
});
