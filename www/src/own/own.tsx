// The Policy tab: policies that the reader writes or opens, with their editor, and what is known of
// the shown one.
import { FolderOpen, Play, Plus, Save, Trash2 } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import * as lab from "../lab";
import { inWords } from "../runs/ranking";
import * as s from "../state";
import { keeps } from "../storage/database";
import { Icon } from "../ui/icon";
import { Lazy } from "../ui/lazy";
import { Menu } from "../ui/menu";
import { loadSheet } from "../ui/sheet";
import { Words } from "../ui/words";
import * as act from "./actions";
import { Aside } from "./aside";
import * as store from "./store";

const EDITOR = () => import("./editor").then(({ Editor }) => Editor);

/** Loads the style sheet of the tab, and returns the tab. */
export async function load(): Promise<{ default: typeof Own }> {
  await loadSheet("own.css");
  return { default: Own };
}

function Own() {
  useEffect(() => void store.restore(), []);
  const policy = s.ownFile(s.shownFile.value);
  useEffect(() => {
    if (policy) void act.look(policy.file);
  }, [policy?.file]);
  return (
    <div class="own">
      <Bar policy={policy} />
      {!keeps.value && s.own.value.length > 0 && (
        <p class="notice">
          This browser stores nothing for the page. Save your policies as files before you leave.
        </p>
      )}
      {policy ? (
        <div class="own-body">
          <div class="own-code">
            {policy.foreign !== undefined && <Stranger policy={policy} />}
            <Code policy={policy} />
            <State policy={policy} />
          </div>
          <Aside policy={policy} />
        </div>
      ) : (
        <Welcome />
      )}
    </div>
  );
}

function Bar({ policy }: { policy: s.OwnPolicy | undefined }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="bar own-bar">
      <h2>Own policies</h2>
      <div class="group own-files" role="group" aria-label="Files">
        {s.own.value.map(({ file, problem, foreign }) => (
          <button
            type="button"
            key={file}
            class="small"
            aria-pressed={policy?.file === file}
            onClick={() => s.showFile(file)}
          >
            {file}
            {foreign !== undefined ? " (not yours)" : problem ? " (faulty)" : ""}
          </button>
        ))}
      </div>
      <New />
      <button type="button" onClick={() => input.current?.click()}>
        <Icon of={FolderOpen} /> Open file…
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File of a policy"
        accept=".js,.mjs,.ts,.mts,.wasm"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) act.open(file).catch(lab.fail);
          event.currentTarget.value = "";
        }}
      />
      {policy && (
        <>
          <label class="inline">
            File
            <input
              key={policy.file}
              type="text"
              size={14}
              defaultValue={policy.file}
              title="A name that ends in .ts is TypeScript"
              onChange={(event) =>
                void act.rename(policy.file, event.currentTarget.value).catch(lab.fail)
              }
            />
          </label>
          <button type="button" onClick={() => act.save(policy.file)}>
            <Icon of={Save} /> Save as file
          </button>
          <button
            type="button"
            aria-label={`Delete ${policy.file}`}
            onClick={() => void store.remove(policy.file)}
          >
            <Icon of={Trash2} /> Delete
          </button>
          {policy.foreign === undefined && (
            <span class="own-run">
              <button type="button" onClick={() => void act.check(policy.file)}>
                Check
              </button>
              <button
                type="button"
                class="primary"
                title="Ctrl+Enter in the editor"
                onClick={() => void act.run(policy.file)}
              >
                <Icon of={Play} /> Run
              </button>
            </span>
          )}
        </>
      )}
    </div>
  );
}

/** The menu of what a policy can begin with. */
function New() {
  return (
    <Menu
      name="New policy"
      class="own-new"
      face={
        <>
          <Icon of={Plus} /> New
        </>
      }
    >
      <Examples />
    </Menu>
  );
}

function Examples() {
  return (
    <ul class="own-examples">
      <Start
        name="Empty policy"
        summary="First come, first served, in four lines."
        act={() => act.create()}
      />
      {act.gallery.map((example) => (
        <Start
          key={example.file}
          name={example.name.replace(/^My (.)/, (_, letter) => letter.toUpperCase())}
          summary={example.summary}
          act={() => act.create(example)}
        />
      ))}
    </ul>
  );
}

/** A policy to begin from. */
function Start(given: { name: string; summary: string; act: () => Promise<void> }) {
  return (
    <li>
      <button
        type="button"
        class="bare"
        data-closes
        onClick={() => void given.act().catch(lab.fail)}
      >
        <b>{given.name}</b>
        <small>{given.summary}</small>
      </button>
    </li>
  );
}

function Welcome() {
  return (
    <section class="panel own-welcome" aria-label="Begin">
      <h3>Write a policy of your own</h3>
      <p>
        A policy is a function that says which waiting jobs start now. Write it in JavaScript or
        TypeScript, and run it beside the others, on your trace, in this browser. Or drop a file
        here: .js, .ts or .wasm. Nothing is uploaded.
      </p>
      <p>Begin with one of these:</p>
      <Examples />
      <p>
        <a href="docs/policies/own.html">What a policy can see and do</a>
      </p>
    </section>
  );
}

/** Asks before code of another author runs. */
function Stranger({ policy }: { policy: s.OwnPolicy }) {
  return (
    <section class="banner" aria-label="Code of another author">
      <p>
        <b>This code is not yours.</b> It came with a link or a plan, as the policy{" "}
        <code>{policy.foreign}</code>. Read it before you let it run. It would run in a sandbox: it
        reaches no network, no stored data, and nothing else on this page.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void act.letRun(policy.file)}>
          Let it run
        </button>
        <button type="button" onClick={() => void store.remove(policy.file)}>
          Remove it
        </button>
      </div>
    </section>
  );
}

function Code({ policy }: { policy: s.OwnPolicy }) {
  const { file, code, problem, foreign } = policy;
  if (typeof code !== "string")
    return (
      <p class="quiet own-compiled">
        {file} is compiled: {code.length.toLocaleString("en")} bytes of WebAssembly. It has no text
        to show.
      </p>
    );
  return (
    <Lazy
      key={file}
      load={EDITOR}
      given={{
        file,
        text: code,
        isReadOnly: foreign !== undefined,
        isFresh: () => act.isFresh(file),
        problem,
        onChange: (text: string) => act.write(file, text),
        onRun: () => void act.run(file),
      }}
      fail={lab.fail}
    />
  );
}

/** Says whether the code describes a policy, what is wrong with it, and what its run gave. */
function State({ policy: own }: { policy: s.OwnPolicy }) {
  const { policy, problem, foreign, code } = own;
  const index = s.lanes.value.findIndex((lane) => policy && lane.policy === policy.id);
  return (
    <div class="own-state">
      <div role="status">
        {problem ? (
          <p class="notice bad">
            <b>
              <Words of={problem.what} />
            </b>{" "}
            <Words of={`${problem.why} ${problem.next}`} />
          </p>
        ) : foreign !== undefined ? (
          <p class="quiet">It has not run.</p>
        ) : policy ? (
          <p class="quiet">
            Ready: <b>{policy.name}</b> (<code>{policy.id}</code>). {policy.summary}{" "}
            {index >= 0 && <RunInShort index={index} />}
          </p>
        ) : (
          <p class="quiet">It has not run yet.</p>
        )}
      </div>
      {typeof code === "string" && foreign === undefined && (
        <p class="quiet">
          Ctrl+Enter runs it, Ctrl+Space completes, Escape and then Tab leave the editor.
        </p>
      )}
    </div>
  );
}

/** The run of the policy in a sentence. */
function RunInShort({ index }: { index: number }) {
  const lane = s.lanes.value[index]!;
  const { key, phrase } = s.rankedBy.value;
  const value = lane.result?.figures[key];
  const name = `Run ${s.letter(index)}`;
  if (lane.state === "failed")
    return (
      <b class="own-failed">
        {name} failed: <Words of={lane.problem?.what ?? ""} />
      </b>
    );
  if (lane.state !== "done" || value === undefined)
    return (
      <>
        {name}: {lane.state}.
      </>
    );
  return (
    <>
      {name}
      {lane.stale ? " of older code" : ""}: {phrase} <b>{inWords(value)}</b>.
    </>
  );
}
