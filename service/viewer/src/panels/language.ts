// A browser without a language of its own may name one that is none, such as “en-US@posix”; the charts would fail on it.
// Imported before them, so that it is mended by then.

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

if (!isLanguage(navigator.language)) Object.defineProperty(navigator, "language", { value: "en", configurable: true });
export {};
