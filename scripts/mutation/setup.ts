/** Property tests try the same values in every run, so that a score can be repeated. */
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_260_101 });
