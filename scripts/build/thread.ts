/** Replaces the compiled program of a thread (runner/divided) with a bundle: a thread loads all its modules again. */
import { bundle } from '../support/bundle.js';

bundle({ 'thread-main': 'src/runner/divided/thread-main.ts' }, 'dist/runner/divided', '.js');
