// The addresses of scripts that the page starts, which Trusted Types let pass: the worker, from a
// blob that the page has made, and the service worker. The page's policy lets no other policy be
// made, and refuses markup from text everywhere.

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

/** An address as `Worker` and `register` take it; a text where the browser knows no Trusted
 * Types. */
export const scriptUrl = (url: string | URL): string =>
  policy ? (policy.createScriptURL(String(url)) as unknown as string) : String(url);
