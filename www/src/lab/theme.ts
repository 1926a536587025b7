// The reader's choice of colours.
import type { Theme } from "schedscope";
import * as s from "../state";
import { keepTheme } from "../storage/choices";

/** Changes the colours of the page, now and for later visits. */
export function chooseTheme(theme: Theme): void {
  s.setTheme(theme);
  keepTheme(theme);
}
