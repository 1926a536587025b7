// Holds the style sheets to the tokens: sizes of type, colours and shadows have names.
import { strict as assert } from "node:assert";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const www = join(dirname(fileURLToPath(import.meta.url)), "..");
const sheets = [
  ...readdirSync(join(www, "style")).map((name) => join(www, "style", name)),
  join(www, "src", "docs", "docs.css"),
].filter((path) => !path.endsWith("tokens.css"));

const tokens = readFileSync(join(www, "style", "tokens.css"), "utf8");

/** Returns the declarations of a style sheet with their lines. */
const declarations = (path) =>
  readFileSync(path, "utf8")
    .replaceAll(/\/\*[^]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, " "))
    .split("\n")
    .map((text, at) => ({ text, where: `${path.slice(www.length + 1)}:${at + 1}` }));

const faults = (isFault) =>
  sheets
    .flatMap(declarations)
    .filter(({ text }) => isFault(text))
    .map(({ text, where }) => `${where}: ${text.trim()}`);

test("type has five sizes, and every text has one of them", () => {
  const sizes = [...tokens.matchAll(/--t-(\d+): (\d+)px/g)].map(([, name, size]) => [name, size]);
  assert.deepEqual(
    sizes.map(([, size]) => size),
    ["11", "13", "15", "20", "28"],
  );
  assert.ok(sizes.every(([name, size]) => name === size));
  assert.deepEqual(
    faults((text) => /font-size:/.test(text) && !/font-size: (var\(--t-\d+\)|inherit);/.test(text)),
    [],
  );
});

test("colours are those of the tokens", () => {
  assert.deepEqual(
    faults((text) => /#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|oklch|light-dark)\(/i.test(text)),
    [],
  );
});

test("every token has a use, and every variable a value", () => {
  const named = new Set([...tokens.matchAll(/^ {2}(--[\w-]+):/gm)].map(([, name]) => name));
  const texts = [...sheets, join(www, "style", "tokens.css")].map((path) =>
    readFileSync(path, "utf8"),
  );
  const scripts = readdirSync(join(www, "src"), { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(www, "src", name), "utf8"));
  const own = new Set([
    ...texts.flatMap((text) => [...text.matchAll(/^\s+(--[\w-]+):/gm)].map(([, name]) => name)),
    ...scripts.flatMap((text) => [...text.matchAll(/"(--[a-z][\w-]*)":/g)].map(([, name]) => name)),
  ]);
  const used = new Set([
    ...texts.flatMap((text) => [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)),
    ...scripts.flatMap((text) => [...text.matchAll(/"(--[a-z][\w-]*)"/g)].map(([, name]) => name)),
  ]);
  assert.deepEqual(
    [...named].filter((name) => !used.has(name)),
    [],
  );
  assert.deepEqual(
    [...used].filter((name) => !own.has(name)),
    [],
  );
});

/** Returns the colours of a token in the light and the dark theme. */
function coloursOf(name) {
  const [, light, dark] = tokens.match(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`);
  return [light, dark];
}

/** Returns the relative luminance of a colour, by WCAG 2.2. */
function luminance(colour) {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("the colours of runs stand out from every ground, in both themes", () => {
  const runs = [...tokens.matchAll(/--(run-\d): /g)].map(([, name]) => name);
  assert.equal(runs.length, 7);
  const faint = ["bg", "surface", "raised", "hover", "lane"].flatMap((ground) =>
    runs.flatMap((run) =>
      [0, 1].flatMap((theme) => {
        const pair = [run, ground].map((name) => luminance(coloursOf(name)[theme]));
        const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        return contrast < 3 ? [`${run} on ${ground}: ${contrast.toFixed(2)}`] : [];
      }),
    ),
  );
  assert.deepEqual(faint, []);
});
