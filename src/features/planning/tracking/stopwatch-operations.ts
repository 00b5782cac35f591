import { signedIn } from "../../../access/policies/site.ts"
import { onIssueStopwatch } from "../../../access/policies/tracking.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, operation, type Sent } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentStopwatch } from "./present.ts"
import { StopWatch } from "./records.ts"
import { cancelStopwatch, startStopwatch, stopStopwatch } from "./stopwatches.ts"
import { findStopwatches } from "./store.ts"

const change = {
  tag: "issue",
  scope: ["issue"],
  access: onIssueStopwatch,
  archived: "refused",
  refuses: ["forbidden", "notFound", "conflict"],
} as const

const done = (): Sent<201, undefined> => ({ status: 201, body: undefined })

export const stopwatchOperations: readonly Operation[] = [
  operation({
    ...change,
    id: "issueStartStopWatch",
    route: "POST /repos/{owner}/{repo}/issues/{index}/stopwatch/start",
    summary: "Start a stopwatch on an issue",
    description: "One that runs on another issue is stopped, and its time booked.",
    answers: { 201: null },
    handle: async ({ services, issue, me }) => {
      await services.database.write((tx) => startStopwatch(tx, issue, me, services.now()))
      return done()
    },
  }),

  operation({
    ...change,
    id: "issueStopStopWatch",
    route: "POST /repos/{owner}/{repo}/issues/{index}/stopwatch/stop",
    summary: "Stop the stopwatch on an issue and track its time",
    answers: { 201: null },
    handle: async ({ services, issue, me }) => {
      const booked = await services.database.write((tx) => stopStopwatch(tx, issue, me, services.now()))
      if (!booked) throw refuse.conflict("cannot stop a non-existent stopwatch")
      return done()
    },
  }),

  operation({
    ...change,
    id: "issueDeleteStopWatch",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/stopwatch/delete",
    summary: "Cancel the stopwatch on an issue",
    description: "Its time is not booked.",
    answers: { 204: null },
    handle: async ({ services, issue, me }) => {
      await services.database.write((tx) => cancelStopwatch(tx, issue, me, services.now()))
      return noContent()
    },
  }),

  operation({
    tag: "user",
    scope: ["user"],
    id: "userGetStopWatches",
    route: "GET /user/stopwatches",
    summary: "List the caller's running stopwatches",
    description: "Those on issues that the caller can still read.",
    access: signedIn,
    publicOnly: "refused",
    paged: true,
    answers: { 200: Type.Array(StopWatch) },
    handle: async ({ db, services, actor, page }) => {
      const { rows, total } = await findStopwatches(db, actor, page)
      const now = services.now()
      return listed(
        rows.map((stopwatch) => presentStopwatch(stopwatch, now)),
        total,
      )
    },
  }),
]
