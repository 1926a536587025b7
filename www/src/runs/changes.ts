// The differences between the lines of two configurations.

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
