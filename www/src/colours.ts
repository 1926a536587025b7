// Sets the colours of a page of the documentation before the first drawing. This script is not a
// module, because a module would run after the first drawing.
import { theme, watchTheme } from "./storage/choices";

const apply = () => {
  document.documentElement.dataset.theme = theme();
};

apply();
watchTheme(apply);
// The list of colours on this page has changed the choice.
addEventListener("colours", apply);
