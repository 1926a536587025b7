// The colours of a page of the documentation, set before anything is drawn. This script is not a
// module, because a module runs after the first drawing.
import { theme } from "./storage/choices";

const apply = () => {
  document.documentElement.dataset.theme = theme();
};

apply();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
// Another tab, or the list of colours on this page.
addEventListener("storage", apply);
addEventListener("colours", apply);
