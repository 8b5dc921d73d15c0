/**
 * uPlot formats numbers in the language of the browser when it is loaded, and fails if that is no valid tag, such as
 * `en-US@posix`. Import this file before it.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}
