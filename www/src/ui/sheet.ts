// Style sheets that load with the code that needs them.

declare const STAMP: string;

const loaded = new Map<string, Promise<void>>();

/**
 * Loads a style sheet of the page by its name, once. It holds in windows that `media` names. Such a
 * sheet stands after all others, which it changes for these windows.
 */
export function loadSheet(name: string, media = "all"): Promise<void> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = `${name}?v=${STAMP}`;
  sheet.media = media;
  const done = new Promise<void>((resolve, reject) => {
    sheet.onload = () => resolve();
    sheet.onerror = () => reject(new Error(`The style sheet ${name} does not load.`));
    if (media === "all") document.querySelector('link[rel="stylesheet"]')!.after(sheet);
    else document.head.append(sheet);
  });
  loaded.set(name, done);
  // The reader may try again.
  done.catch(() => loaded.delete(name));
  return done;
}
