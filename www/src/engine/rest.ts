// Tells if the page is at rest: no question to a worker, no drawing and no writing of the URL is
// pending. The document says so for programs that drive the page: `data-pending` counts the pending
// actions.

let underWay = 0;

/** Counts an action as pending until the returned function is called for the first time. */
export function begun(): () => void {
  let isOver = false;
  change(1);
  return () => {
    if (!isOver) change(-1);
    isOver = true;
  };
}

/** Counts a promise as pending until it is settled. */
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
