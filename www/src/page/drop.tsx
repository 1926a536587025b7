// The whole window takes dropped files.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** The whole window takes dropped files. */
export function DropTarget({ take }: { take: (files: File[]) => void }) {
  const isOver = useSignal(false);
  useEffect(() => {
    let depth = 0;
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const on = {
      dragenter: (event: DragEvent) => {
        depth += 1;
        isOver.value = hasFile(event);
      },
      dragleave: () => {
        depth = Math.max(0, depth - 1);
        if (depth === 0) isOver.value = false;
      },
      dragover: (event: DragEvent) => event.preventDefault(),
      drop: (event: DragEvent) => {
        event.preventDefault();
        depth = 0;
        isOver.value = false;
        take([...(event.dataTransfer?.files ?? [])]);
      },
    };
    for (const [name, listener] of Object.entries(on))
      window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(on))
        window.removeEventListener(name, listener as EventListener);
    };
  }, []);
  return isOver.value ? (
    <div class="drop">
      Drop a trace (SWF, a log, a table), a plan (.json), a policy (.js, .ts, .wasm), a table of
      demands (.csv), or a slurm.conf with its topology.conf
    </div>
  ) : null;
}
