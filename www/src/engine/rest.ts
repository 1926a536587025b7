// Whether the page is at rest: nothing is asked of a worker, drawn, or about to be written into the
// URL. The document says so, for whoever drives the page by a program: `data-pending` counts what
// is under way.

let underWay = 0;

/** Counts something as under way until the returned function is called; once is enough. */
export function begun(): () => void {
  let isOver = false;
  change(1);
  return () => {
    if (!isOver) change(-1);
    isOver = true;
  };
}

/** Counts a promise as under way until it is settled. */
export function pending<T>(promise: Promise<T>): Promise<T> {
  const over = begun();
  return promise.finally(over);
}

function change(by: number): void {
  underWay += by;
  const { dataset } = document.documentElement;
  if (underWay > 0) dataset.pending = String(underWay);
  else delete dataset.pending;
}
