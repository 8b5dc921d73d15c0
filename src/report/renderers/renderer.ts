/** The interface of renderers. A renderer is a pure function of the result of a run, in a file of this folder. */
import type { RunResult } from '../result.js';

export interface RenderOptions {
  /** Whether to use ANSI colour codes. Default: false. */
  readonly colour?: boolean;
  /** Width of the text in characters. Default: 100 */
  readonly width?: number | undefined;
}

/** Renders a report as text that ends with a line feed. */
export type Renderer = (result: RunResult, options?: RenderOptions) => string;
