// Entry point of the page.
import "./security/shut";
import { render } from "preact";
import { asProblem } from "./format/problem";
import { knowMachines, restoreLayout } from "./lab";
import { MACHINES } from "./machines/machines";
import { begin } from "./page/history";
import * as offline from "./page/offline";
import { Page } from "./page/page";
import * as scroll from "./page/scroll";
import * as s from "./state";
import { theme } from "./storage/choices";

knowMachines(MACHINES);
restoreLayout();
s.setTheme(theme());
document.documentElement.dataset.theme = s.theme.value;
render(<Page />, document.getElementById("page")!);
offline.register();
scroll.follow();
begin().catch((error) => s.tell(asProblem(error)));
