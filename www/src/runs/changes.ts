// The differences between the settings of two runs, and between the lines of two configurations.
import * as s from "../state";

interface Change {
  sign: "-" | "+";
  text: string;
}

/** Splits a list after `SchedulerParameters=` into an option on each line, so that changes are small. */
function pieces(text: string): string[] {
  const lines = text.split(/[\n;]/).map((line) => line.replace(/#.*/, "").trim());
  return lines
    .filter((line) => line !== "")
    .flatMap((line) => {
      const options = /^SchedulerParameters\s*=\s*(.*)$/i.exec(line)?.[1];
      return options === undefined
        ? [line]
        : options
            .split(",")
            .map((option) => option.trim())
            .filter((option) => option !== "");
    });
}

/** Returns the pieces that only one of two texts has: first those of the old one. Order does not count. */
export function changesOf(old: string, now: string): Change[] {
  const [before, after] = [pieces(old), pieces(now)];
  const only = (these: string[], those: string[], sign: Change["sign"]): Change[] => {
    const known = new Set(those);
    return [...new Set(these)].filter((text) => !known.has(text)).map((text) => ({ sign, text }));
  };
  return [...only(before, after, "-"), ...only(after, before, "+")];
}

/** Returns the settings in which the second run differs from the first. */
export function changesBetween(first: s.Setup, second: s.Setup): Change[] {
  const plain = ({ policy, machine, preset }: s.Setup): string =>
    [
      `policy=${policy}`,
      ...(machine ? [`machine=${machine}`] : []),
      ...(preset ? [`preset=${preset}`] : []),
    ].join("\n");
  const changes = changesOf(plain(first), plain(second));
  const keys = [...new Set([...Object.keys(first.settings), ...Object.keys(second.settings)])];
  for (const key of keys.sort()) {
    // A setting that a run does not have is that of all runs.
    const [old, now] = [first, second].map(({ settings }) => settings[key] ?? s.shared.value[key]);
    if (old === now) continue;
    if ([old, now].some((value) => typeof value === "string" && value.includes("\n"))) {
      changes.push(...changesOf(String(old ?? ""), String(now ?? "")));
      continue;
    }
    if (old !== undefined) changes.push({ sign: "-", text: `${key}=${old}` });
    if (now !== undefined) changes.push({ sign: "+", text: `${key}=${now}` });
  }
  return changes;
}
