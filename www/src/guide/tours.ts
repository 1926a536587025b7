// The guided tours, which are exercises that come with the page.
import backfilling from "../../tours/backfilling.json";
import coscheduling from "../../tours/coscheduling.json";
import matrix from "../../tours/matrix.json";
import torus from "../../tours/torus.json";
import type { Exercise } from "../teach/format";
import type { Course } from "../teach/tour";

/** The tours by their names in links. A test reads each one as it reads a reader's exercise. */
export const TOURS = Object.entries({ backfilling, torus, matrix, coscheduling }).map(
  ([id, exercise]): Course & { id: string } => ({ id, exercise: exercise as unknown as Exercise }),
);
