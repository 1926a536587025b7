// Tables and lists of a report, as HTML.
import { escaped } from "../files/picture";
import type { Table } from "../files/table";

/** Returns a table as HTML. The columns of words stand to the left. */
export function tableOf({ head, rows, words = 1 }: Table): string {
  const row = (tag: string, cells: unknown[]) =>
    `<tr>${cells
      .map((value, at) => {
        const text = escaped(value === undefined ? "" : String(value));
        return `<${tag}${at < words ? ' class="word"' : ""}>${text}</${tag}>`;
      })
      .join("")}</tr>`;
  const body = rows.map((cells) => row("td", cells)).join("");
  return `<div class="wide"><table><thead>${row("th", head)}</thead><tbody>${body}</tbody></table></div>`;
}

/** Returns a list as HTML; nothing if it is empty. */
export const listOf = (items: string[]): string =>
  items.length > 0 ? `<ul>${items.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>` : "";
