// A static server on loopback, for looking at dist/ and for the tests.
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import sirv from "sirv";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");

/** Serves `folder` under `prefix`; the next free port if the wanted one is taken. */
export async function serve({ port = 0, prefix = "/", folder = dist } = {}) {
  const files = sirv(folder, { dev: true });
  const server = createServer((request, response) => {
    const missing = () => {
      response.statusCode = 404;
      response.end("Not found");
    };
    if (!request.url?.startsWith(prefix)) return missing();
    request.url = `/${request.url.slice(prefix.length)}`;
    files(request, response, missing);
  });
  const listen = (wanted) =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(wanted, "127.0.0.1", () => resolve(server.address().port));
    });
  const bound = await listen(port).catch((error) => (error.code === "EADDRINUSE" ? listen(0) : Promise.reject(error)));
  return { url: `http://127.0.0.1:${bound}${prefix}`, close: () => server.close() };
}
