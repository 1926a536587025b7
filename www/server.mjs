// A static server on loopback, for viewing dist/ and for the tests.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import sirv from "sirv";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");

/**
 * Reads a folder's `_headers` as hosts do that take headers from a file: a path, then lines of
 * headers.
 */
function rulesOf(folder) {
  const path = join(folder, "_headers");
  const blocks = existsSync(path) ? readFileSync(path, "utf8").trim().split(/\n\n+/) : [];
  return blocks.map((block) => {
    const [pattern, ...lines] = block.split("\n").map((line) => line.trim());
    return {
      applies: (url) =>
        pattern.endsWith("*")
          ? url.startsWith(pattern.slice(0, -1))
          : url.split("?")[0] === pattern,
      lines,
    };
  });
}

/** Sets the headers. With `!`, a later rule removes a header that an earlier rule has set. */
function setHeaders(response, rules, url) {
  for (const line of rules.filter(({ applies }) => applies(url)).flatMap(({ lines }) => lines)) {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    if (name) response.setHeader(name, value);
    else response.removeHeader(line.replace(/^! /, ""));
  }
}

/**
 * Serves `folder` under `prefix`, on the next free port if the wanted one is taken. Without
 * `headers` it acts as the plainest of hosts, which sends no headers of its own.
 */
export async function serve({ port = 0, prefix = "/", folder = dist, headers = false } = {}) {
  const files = sirv(folder, { dev: true });
  const rules = headers ? rulesOf(folder) : [];
  const server = createServer((request, response) => {
    const missing = () => {
      response.statusCode = 404;
      response.end("Not found");
    };
    if (!request.url?.startsWith(prefix)) return missing();
    request.url = `/${request.url.slice(prefix.length)}`;
    setHeaders(response, rules, request.url);
    files(request, response, missing);
  });
  const listen = (wanted) =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(wanted, "127.0.0.1", () => resolve(server.address().port));
    });
  const bound = await listen(port).catch((error) =>
    error.code === "EADDRINUSE" ? listen(0) : Promise.reject(error),
  );
  return { url: `http://127.0.0.1:${bound}${prefix}`, close: () => server.close() };
}
