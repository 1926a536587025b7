// The reading view: the page in a narrow window. A bar above, the page, a sheet over its lower end,
// and the bar of places below.
import { READING } from "../lab";
import { Body } from "./body";
import { useFollow } from "./follow";
import { Nav } from "./nav";
import { Top } from "./top";

declare const STAMP: string;

/** Loads the style sheet of the reading view, and returns the view. */
export async function load(): Promise<typeof Reading> {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = `reading.css?v=${STAMP}`;
  // A window that becomes wide is free of it.
  sheet.media = READING;
  await new Promise((resolve, reject) => {
    sheet.onload = resolve;
    sheet.onerror = () => reject(new Error("The style sheet of the reading view does not load."));
    document.head.append(sheet);
  });
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
