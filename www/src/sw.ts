// The service worker: after the first visit the page works without the network. It keeps every file
// of one version of the page under that version's name. It contacts no other host, and takes over
// only with the reader's consent.

import { closed } from "./security/closed";

declare const STAMP: string;

/** The content security policy of the page. */
declare const POLICY: string;

/** The files of this version, relative to the page. */
declare const FILES: string[];

interface Scope {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(name: string, listener: (event: never) => void): void;
}

interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetching {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = globalThis as unknown as Scope;

closed();

const PREFIX = "schedscope ";

const NAME = `${PREFIX}${STAMP}`;

/**
 * Time at which a version was first kept. The version before the newest stays, for tabs that still
 * run it.
 */
const AGE = "kept-at";

async function install(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll(
    FILES.map(
      (file) => new Request(new URL(file, worker.registration.scope), { cache: "no-cache" }),
    ),
  );
  await cache.put(new URL(AGE, worker.registration.scope), new Response(String(Date.now())));
}

async function tidy(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  const ages = await Promise.all(
    names.map(
      async (name) =>
        Number(
          await (
            await (await caches.open(name)).match(new URL(AGE, worker.registration.scope))
          )?.text(),
        ) || 0,
    ),
  );
  const newest = names[ages.indexOf(Math.max(...ages))];
  await Promise.all(names.filter((name) => name !== newest).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/**
 * The page, documentation and scripts get the policy as a header, which holds before anything is
 * parsed.
 */
function guarded(response: Response): Response {
  if (
    !/^(text\/html|(text|application)\/javascript)/.test(response.headers.get("content-type") ?? "")
  )
    return response;
  const headers = new Headers(response.headers);
  headers.set("content-security-policy", POLICY);
  headers.set("x-content-type-options", "nosniff");
  return new Response(response.body, {
    status: response.status,
    statusText: response.statusText,
    headers,
  });
}

async function answer(request: Request): Promise<Response> {
  const scope = new URL(worker.registration.scope);
  const url = new URL(request.url);
  const cache = await caches.open(NAME);
  const isPage =
    request.mode === "navigate" &&
    (url.pathname === scope.pathname || url.pathname === `${scope.pathname}index.html`);
  const isFolder = request.mode === "navigate" && url.pathname.endsWith("/");
  const kept = isPage
    ? await cache.match(new URL("index.html", scope))
    : isFolder
      ? await cache.match(new URL("index.html", url))
      : ((await cache.match(request)) ?? (await caches.match(request)));
  return kept ? guarded(kept) : fetch(request);
}

worker.addEventListener("install", (event: never) => (event as Lasting).waitUntil(install()));

worker.addEventListener("activate", (event: never) => (event as Lasting).waitUntil(tidy()));

worker.addEventListener("message", (event: never) => {
  if ((event as MessageEvent).data === "use") void worker.skipWaiting();
});

worker.addEventListener("fetch", (event: never) => {
  const { request, respondWith } = event as Fetching;
  // Other requests are the browser's matter. The page's policy prevents them anyway.
  if (request.method === "GET" && request.url.startsWith(worker.registration.scope))
    respondWith.call(event, answer(request));
});
