// The addresses of scripts that the page may start under Trusted Types: the worker, from a blob
// that the page has made, and the service worker. The page's policy allows no other policy, and
// refuses markup from text everywhere.

interface Factory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): object };
}

const isOwn = (url: string): boolean =>
  url.startsWith(`blob:${location.origin}/`) || url === new URL("sw.js", document.baseURI).href;

const policy = (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy("schedscope", {
  createScriptURL(url) {
    if (!isOwn(url)) throw new TypeError(`${url} is no script of the page's`);
    return url;
  },
});

/**
 * Returns an address for `Worker` and `register`; plain text if the browser has no Trusted Types.
 */
export const scriptUrl = (url: string | URL): string =>
  policy ? (policy.createScriptURL(String(url)) as unknown as string) : String(url);
