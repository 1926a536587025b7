// The report of the visible runs. The code that writes it loads on the first click.
import { fail } from "../lab";
import { readable } from "./figures";

export async function report(): Promise<void> {
  try {
    await (await import("../export/report")).saveReport(readable());
  } catch (error) {
    fail(error);
  }
}
