// The report of the visible runs. The code that writes it loads on the first click.
import { fail } from "../lab";
import { table } from "./figures";

export async function report(): Promise<void> {
  try {
    await (await import("../export/report")).saveReport(table());
  } catch (error) {
    fail(error);
  }
}
