// The test of past forecasts: recorded starts, and the intervals that were told before.
import type { ClassCoverage, Coverage } from "schedscope";
import { count, counted, duration, share } from "../format/words";
import * as s from "../state";
import { DataTable } from "../ui/table";
import { calibration, nameOfPast } from "./work";

const of = (part: number, { jobs }: Coverage): number => (jobs > 0 ? part / jobs : 0);

const nameOf = ({ from, below }: ClassCoverage): string =>
  below == null ? `${duration(from)} and longer` : `${duration(from)} to ${duration(below)}`;

export function Held() {
  const known = calibration.value;
  if (!known) return null;
  const found = known.calibration;
  const isOld = known.of !== nameOfPast();
  const { coverage, classes, moments } = found;
  const all: ClassCoverage[] = classes.filter((one) => one.coverage.jobs > 0);
  return (
    <section class="panel" aria-label="Past forecasts">
      <h2>Past forecasts</h2>
      {isOld && (
        <p class="notice">
          These are of {found.log}. The log or the settings were changed since: press “Test past
          forecasts” again.
        </p>
      )}
      {coverage.jobs === 0 ? (
        <p>No job waited at any of the {counted(moments.length, "moment")}.</p>
      ) : (
        <>
          <p class="sentence">
            At {count(moments.length)} past moments of the log, {counted(coverage.jobs, "job")}{" "}
            waited. {share(of(coverage.inside_90, coverage))} of them started within their intervals
            of 90 %, {share(of(coverage.inside_50, coverage))} within those of 50 %.
          </p>
          <p>
            {share(of(coverage.before_90, coverage))} started before their interval of 90 %, and{" "}
            {share(of(coverage.after_90, coverage))} after it. Half of the medians were off by at
            most {duration(coverage.median_error)}. Each forecast knew only what had happened by
            then. The log was scheduled by its own rules: where these differ from{" "}
            {s.policyNamed(found.policy)?.name ?? found.policy}, the intervals hold less often.
          </p>
          <DataTable
            label="Past forecasts by wait"
            rows={all}
            columns={[
              { name: "Wait after the moment", isHead: true, value: nameOf },
              { name: "Jobs", value: ({ coverage }) => coverage.jobs },
              {
                name: "Inside of 50 %",
                value: ({ coverage }) => of(coverage.inside_50, coverage),
                show: ({ coverage }) => share(of(coverage.inside_50, coverage)),
              },
              {
                name: "Inside of 90 %",
                value: ({ coverage }) => of(coverage.inside_90, coverage),
                show: ({ coverage }) => share(of(coverage.inside_90, coverage)),
              },
              {
                name: "Median error (s)",
                head: "Median error",
                value: ({ coverage }) => coverage.median_error,
                show: ({ coverage }) => duration(coverage.median_error),
              },
              {
                name: "Width of 90 % (s)",
                head: "Width of 90 %",
                value: ({ coverage }) => coverage.median_width,
                show: ({ coverage }) => duration(coverage.median_width),
              },
            ]}
          />
          {found.censored > 0 && (
            <p class="quiet">
              {count(found.censored)} further waiting jobs have no recorded start, and are left out.
            </p>
          )}
        </>
      )}
      {found.crowded > 0 && (
        <p class="quiet">
          Moments left out because of more jobs than a forecast can have: {count(found.crowded)}.
        </p>
      )}
    </section>
  );
}
