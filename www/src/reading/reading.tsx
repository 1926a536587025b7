// The reading view: the page in a narrow window. A bar above, the page, a sheet over its lower end,
// and the bar of places below.
import { READING } from "../lab";
import { loadSheet } from "../ui/sheet";
import { Body } from "./body";
import { useFollow } from "./follow";
import { Nav } from "./nav";
import { Top } from "./top";

/** Loads the style sheet of the reading view, and returns the view. */
export async function load(): Promise<typeof Reading> {
  // A window that becomes wide is free of it.
  await loadSheet("reading.css", READING);
  return Reading;
}

function Reading({ choose }: { choose: () => void }) {
  useFollow();
  return (
    <>
      <Top choose={choose} />
      <Body choose={choose} />
      <Nav />
    </>
  );
}
