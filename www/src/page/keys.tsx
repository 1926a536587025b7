// The effects of mouse and keys in the timelines.

const KEYS = [
  ["Drag", "pan"],
  ["Shift + drag", "select an area"],
  ["Ctrl + wheel", "zoom in time"],
  ["Alt + wheel", "zoom in processors"],
  ["Click", "select a job"],
  ["Arrows, Enter", "move a cursor, select the job there"],
  ["W A S D", "zoom and pan"],
  ["0", "show all"],
  ["Backspace", "previous window"],
  ["C", "next colours"],
  ["Space", "play"],
  ["/", "search"],
  ["Ctrl + K", "list the commands"],
] as const;

export const Keys = () => (
  <dl class="keys">
    {KEYS.map(([keys, what]) => [
      <dt key={keys}>
        <kbd>{keys}</kbd>
      </dt>,
      <dd key={what}>{what}</dd>,
    ])}
  </dl>
);
