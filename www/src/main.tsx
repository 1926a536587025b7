// Entry point of the page, and of the page inside another page.
import "./security/shut";
import { effect } from "@preact/signals";
import { render } from "preact";
import { fail, knowMachines, restoreLayout } from "./lab";
import { MACHINES } from "./machines/machines";
import { begin, beginEmbedded } from "./page/history";
import * as offline from "./page/offline";
import { Page } from "./page/page";
import * as scroll from "./page/scroll";
import * as s from "./state";
import { theme, watchTheme } from "./storage/choices";

knowMachines(MACHINES);
s.setTheme(theme());
watchTheme(() => s.setTheme(theme()));
// Pictures are drawn after this, with the colours of the theme.
effect(() => void (document.documentElement.dataset.theme = s.theme.value));
const place = document.getElementById("page")!;
if (document.documentElement.dataset.embed === undefined) {
  restoreLayout();
  render(
    <Page loadReading={() => import("./reading/reading").then(({ load }) => load())} />,
    place,
  );
  offline.register();
  scroll.follow();
  begin().catch(fail);
} else {
  // The pictures have little room there.
  s.arrange({ strips: { used: false, waiting: false } });
  import("./page/embed")
    .then(({ Embed }) => {
      render(<Embed />, place);
      return beginEmbedded();
    })
    .catch(fail);
}
