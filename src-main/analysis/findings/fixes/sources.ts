import type { FixSource } from '../../../shared/answers/diagnosis.ts';

/**
 * Where the field knows a fix from. A figure is of whoever measured it, on their machine: it is
 * cited with its origin, never as one of the trace's.
 */

/** The kernel-level investigation of a DataLoader on an RTX 4090 with four CPUs. */
export const investigation = cited('the DataLoader investigation on an RTX 4090 (Ingero)');
export const debugGuide = cited('“How to Debug Slow PyTorch Dataloaders”');
export const optimisationGuide = cited('“Data Loading Optimization for GPU Training”');
export const traceMl = cited('TraceML’s guide to DataLoader bottlenecks');

/** A page of PyTorch's documentation, by its path below docs.pytorch.org. */
export function pytorchDocs(title: string, path: string): FixSource {
  return { title: `PyTorch: ${title}`, url: `https://docs.pytorch.org/${path}` };
}

/** An issue in PyTorch's tracker. */
export function pytorchIssue(number: number, figure?: string): FixSource {
  return {
    title: withFigure(`pytorch#${number}`, figure),
    url: `https://github.com/pytorch/pytorch/issues/${number}`,
  };
}

/** A page of the Linux kernel's documentation, by its path below docs.kernel.org. */
export function kernelDocs(title: string, path: string): FixSource {
  return { title: `Linux: ${title}`, url: `https://docs.kernel.org/${path}` };
}

function cited(origin: string): (figure?: string) => FixSource {
  return (figure) => ({ title: withFigure(origin, figure) });
}

function withFigure(origin: string, figure: string | undefined): string {
  return figure === undefined ? origin : `${figure} (from ${origin})`;
}
