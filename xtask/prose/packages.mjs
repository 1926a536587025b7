// The npm packages of the linter. They are installed with the page's, in www/node_modules.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../www/package.json", import.meta.url));

export const { TextlintKernel } = require("@textlint/kernel");
export const { parse: parseMarkdown } = require("@textlint/markdown-to-ast");
export const { parse: parseScript } = require("@babel/parser");
