// The keywords of a slurm.conf with their effects under the policy Slurm, and the lines in which two
// runs differ.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { SlurmKeyword, SlurmOption } from "schedscope";
import { Stopped } from "../engine/workers";
import { asProblem } from "../format/problem";
import { count } from "../format/words";
import * as lab from "../lab";
import { changesOf } from "../runs/changes";
import * as s from "../state";
import { Lazy } from "../ui/lazy";
import { leftOf } from "./leftlines";

const EDITOR = () => import("./confeditor").then(({ default: ConfEditor }) => ConfEditor);

const EFFECTS: Record<SlurmKeyword["effect"], string> = {
  used: "used",
  without_effect: "without effect here",
  not_modelled: "not modelled",
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns the description of a run's cluster: its own, or that of all runs. */
function clusterOf({ machine, settings }: s.Setup): string {
  const isOwn = machine !== "" && machine !== s.machine.value;
  return textOf(settings.cluster ?? (isOwn ? undefined : s.shared.value.cluster));
}

/** Lines of a slurm.conf that count only in the description of the cluster. */
const OF_MACHINE =
  /^[ \t]*(?:nodename|partitionname|switchname|downnodes|licenses|reservationname|powercapwatts)[ \t]*=/im;

/** Shows the keywords of a run's configuration, and how it differs from that of the first such run. */
export function SlurmReport({ lane }: { lane: s.Setup & { id: number } }) {
  const found = useSignal<{ key: string; words: SlurmKeyword[] } | undefined>(undefined);
  const cluster = clusterOf(lane);
  const conf = textOf(lane.settings.conf);
  const accounts = textOf(lane.settings.accounts);
  const key = [cluster, conf, accounts].join("\n\n");
  const asked = useRef(0);
  const options = useSignal<SlurmOption[] | undefined>(undefined);
  const opener = useRef<HTMLButtonElement>(null);
  const edit = async () => {
    try {
      await lab.holdInWhole();
      options.value = await lab.askReader((engine) => engine.slurmOptions());
    } catch (error) {
      if (!(error instanceof Stopped)) s.tell(asProblem(error));
    }
  };
  const close = () => {
    options.value = undefined;
    opener.current?.focus();
  };
  const index = s.setups.value.findIndex(({ id }) => id === lane.id);
  const look = async () => {
    const own = ++asked.current;
    try {
      await lab.holdInWhole();
      const words = await lab.askReader((engine) =>
        engine.slurmKeywords(`${cluster}\n${conf}`, accounts),
      );
      if (own !== asked.current) return;
      found.value = { key, words };
      s.say(`${count(words.length)} keywords.`);
    } catch (error) {
      if (!(error instanceof Stopped)) s.tell(asProblem(error));
    }
  };
  const first = s.setups.value.find(({ policy }) => policy === "slurm");
  const changes =
    first && first.id !== lane.id
      ? changesOf(`${clusterOf(first)}\n${textOf(first.settings.conf)}`, `${cluster}\n${conf}`)
      : undefined;
  const words = found.value?.key === key ? found.value.words : undefined;
  const left = leftOf(lane.id);
  const told = (["not_modelled", "used", "without_effect"] as const).map((effect) => ({
    effect,
    words: words?.filter((word) => word.effect === effect) ?? [],
  }));
  return (
    <div class="slurm-report">
      {OF_MACHINE.test(conf) && (
        <p class="notice">
          Lines of slurm.conf that describe nodes, partitions or licences have no effect here.
          Change them in the cluster, or drop a whole slurm.conf with them.
        </p>
      )}
      {changes && (
        <p class="quiet">
          {changes.length === 0
            ? `The same lines as run ${s.letter(s.setups.value.indexOf(first!))}${textOf(first!.settings.accounts) === accounts ? "" : ", with other accounts"}.`
            : `Changes from run ${s.letter(s.setups.value.indexOf(first!))}:`}
        </p>
      )}
      {changes && changes.length > 0 && (
        <ul class="conf-changes">
          {changes.map(({ sign, text }) => (
            <li key={sign + text} class={sign === "+" ? "added" : "removed"}>
              <span class="unseen">{sign === "+" ? "added" : "removed"}: </span>
              <code>
                {sign} {text}
              </code>
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <button ref={opener} type="button" class="small" onClick={() => void edit()}>
          Edit slurm.conf…
        </button>
        <button type="button" class="small" onClick={() => void look()}>
          List keywords
        </button>
      </div>
      {options.value && (
        <Lazy
          load={EDITOR}
          fail={lab.fail}
          until={null}
          given={{
            name: `run ${s.letter(index)}`,
            original:
              first && first.id !== lane.id
                ? {
                    text: textOf(first.settings.conf),
                    name: `run ${s.letter(s.setups.value.indexOf(first))}`,
                  }
                : undefined,
            text: conf,
            options: options.value,
            keywords: (text: string) => lab.askReader((engine) => engine.slurmKeywords(text, "")),
            onApply: (text: string) => {
              lab.setLane(lane.id, { settings: { ...lane.settings, conf: text } });
              close();
            },
            onClose: close,
          }}
        />
      )}
      {words &&
        told.map(({ effect, words }) => (
          <details key={effect} open={effect === "not_modelled" && words.length > 0}>
            <summary>
              {count(words.length)} {EFFECTS[effect]}
            </summary>
            <Words of={words} />
          </details>
        ))}
      {words && left && left.words.length > 0 && (
        <details>
          <summary>
            {count(left.words.length)} of {left.file} left out of the settings, without effect here
          </summary>
          <Words of={left.words} isOfFile />
        </details>
      )}
    </div>
  );
}

/** Keywords with their values; those of a file also with their lines. */
const Words = ({ of, isOfFile }: { of: readonly SlurmKeyword[]; isOfFile?: boolean }) => (
  <ul class="conf-words">
    {of.map(({ line, keyword, value }, at) => (
      <li key={at}>
        <code>{value === "" ? keyword : `${keyword}=${value}`}</code>
        {isOfFile && <small> line {count(line)}</small>}
      </li>
    ))}
  </ul>
);
