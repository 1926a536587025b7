// Completion and marks of a slurm.conf, by the keywords that the policy Slurm follows.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { Diagnostic } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { SlurmKeyword, SlurmOption } from "schedscope";

/** The list of options before the cursor, from the last comma on. */
const IN_OPTIONS = /(?:^|[\s;])SchedulerParameters\s*=\s*(?:[^\s;]*,)?([\w-]*)$/i;

/** A keyword with its value up to the cursor. */
const IN_VALUE = /(?:^|[\s;])([A-Za-z]\w*)\s*=\s*([^\s;]*)$/;

/** A keyword that begins before the cursor. */
const IN_KEYWORD = /(?:^|[\s;])([A-Za-z]\w*)$/;

function completionOf({ name, is_flag, default: usual, help }: SlurmOption): Completion {
  return {
    label: name,
    apply: is_flag ? name : `${name}=`,
    type: "property",
    info: help.replaceAll("`", ""),
    ...(usual === "" ? {} : { detail: `default ${usual}` }),
  };
}

/** Returns the words that the value of a keyword can be, for what of it stands before the cursor. */
function valuesOf(
  options: readonly SlurmOption[],
  keyword: string,
  written: string,
  pos: number,
): CompletionResult | null {
  const key = keyword.toLowerCase();
  const found = options.find((one) => !one.is_of_scheduler && one.name.toLowerCase() === key);
  if (!found || found.values.length === 0) return null;
  const begun = found.is_list ? written.slice(written.lastIndexOf(",") + 1) : written;
  const isUsual = (value: string) => value.toLowerCase() === found.default.toLowerCase();
  return {
    from: pos - begun.length,
    options: found.values.map((value) => ({
      label: value,
      type: "constant",
      ...(isUsual(value) ? { detail: "default" } : {}),
    })),
    validFor: found.is_list ? /^[^\s;,]*$/ : /^[^\s;]*$/,
  };
}

/** Returns the source of completions for these options. */
export function completing(options: readonly SlurmOption[]) {
  const [general, scheduler] = [false, true].map((isOfScheduler) =>
    options.filter((one) => one.is_of_scheduler === isOfScheduler).map(completionOf),
  ) as [Completion[], Completion[]];
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const line = state.doc.lineAt(pos);
    const before = line.text.slice(0, pos - line.from);
    if (before.includes("#")) return null;
    const option = IN_OPTIONS.exec(before);
    if (option) return { from: pos - option[1]!.length, options: scheduler, validFor: /^[\w-]*$/ };
    const value = IN_VALUE.exec(before);
    if (value) return valuesOf(options, value[1]!, value[2]!, pos);
    const keyword = IN_KEYWORD.exec(before);
    if (keyword) return { from: pos - keyword[1]!.length, options: general, validFor: /^\w*$/ };
    const isFree = /(?:^|[\s;])$/.test(before);
    return explicit && isFree ? { from: pos, options: general, validFor: /^\w*$/ } : null;
  };
}

const SAID: Record<SlurmKeyword["effect"], string> = {
  used: "",
  without_effect: "has no effect here",
  not_modelled: "is not modelled",
};

/** Returns a mark for each keyword that changes nothing here. */
export function marksOf(doc: Text, words: readonly SlurmKeyword[]): Diagnostic[] {
  return words.flatMap(({ line: number, keyword, effect }) => {
    if (effect === "used" || number < 1 || number > doc.lines) return [];
    const line = doc.line(number);
    const at = line.text.toLowerCase().indexOf(keyword.toLowerCase());
    if (at < 0) return [];
    const from = line.from + at;
    return [
      {
        from,
        to: from + keyword.length,
        severity: effect === "not_modelled" ? ("warning" as const) : ("info" as const),
        message: `${keyword} ${SAID[effect]}.`,
      },
    ];
  });
}
