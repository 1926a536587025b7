// Serves dist/ on this machine: `node serve.mjs [--open] [--port N]`.
import { spawn } from "node:child_process";
import { serve } from "./server.mjs";

const args = process.argv.slice(2);
const at = args.indexOf("--port");
const { url } = await serve({ headers: true, port: at < 0 ? 8080 : Number(args[at + 1]) });
console.log(`Schedscope is at ${url} (Ctrl+C ends it)`);
if (args.includes("--open")) {
  const opener = { darwin: "open", win32: "start" }[process.platform] ?? "xdg-open";
  spawn(opener, [url], { stdio: "ignore", detached: true, shell: process.platform === "win32" }).on(
    "error",
    () => {},
  );
}
