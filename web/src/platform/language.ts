/**
 * When uPlot is loaded, it formats numbers in the language of the browser. It fails if the language is not a valid tag, such as
 * `en-US@posix`. Import this file before uPlot.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}
