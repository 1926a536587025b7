// The addresses of scripts that the page may start under Trusted Types: the worker, from a blob
// that the page has made, a sandbox, from an address that is its text, and the service worker. The
// page's policy allows no other policy, and refuses markup from text everywhere.

interface Factory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): object };
}

/** The addresses of sandboxes that the page has made, until they have started. */
const sandboxes = new Set<string>();

const isOwn = (url: string): boolean =>
  sandboxes.has(url) ||
  url.startsWith(`blob:${location.origin}/`) ||
  url === new URL("sw.js", document.baseURI).href;

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

/** Returns the address of a module with this text. Its worker has no origin. */
const textUrl = (text: string): string =>
  `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`;

/**
 * Returns an address for `Worker`: a module that imports `program` first, and then these modules,
 * each with the name of its file. It gives them to the function that `program` exports.
 */
export function sandboxUrl(program: string, modules: { file: string; text: string }[]): string {
  const lines = [`import begin from ${JSON.stringify(textUrl(program))};`];
  const names = modules.map(({ file, text }, at) => {
    // The name stands in the places of errors. A line of its own keeps the text's places.
    const named = `${text}\n//# sourceURL=${file.replaceAll(/[^\w.-]/g, "_")}`;
    lines.push(`import * as own${at} from ${JSON.stringify(textUrl(named))};`);
    return `${JSON.stringify(file)}: own${at}`;
  });
  lines.push(`begin({ ${names.join(", ")} });`);
  const url = textUrl(lines.join("\n"));
  sandboxes.add(url);
  try {
    return scriptUrl(url);
  } finally {
    sandboxes.delete(url);
  }
}
