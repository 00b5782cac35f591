import { siteAdministratorOnUser } from "../../../access/policies/people.ts"
import { siteAdministrator } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import type { ScheduledTask } from "../../../core/jobs/jobs.ts"
import { listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import { dateTime, NEVER, rfc3339, secondsOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { dropAvatar } from "../../people/avatars/pictures.ts"
import { findAuditEntries } from "./audit.ts"
import { deletePerson } from "./delete-person.ts"
import { AuditEntry, Cron } from "./records.ts"

const shared = { tag: "admin", scope: ["admin"], access: siteAdministrator } as const

const moment = (seconds: number): string => (seconds === 0 ? NEVER : rfc3339(seconds))

const presentTask = ({ name, cron, nextRunAt, lastRunAt, runs }: ScheduledTask): Cron => ({
  name,
  schedule: cron ?? "-",
  next: moment(nextRunAt),
  prev: moment(lastRunAt),
  exec_times: runs,
})

/** What administrators see and start besides user management: scheduled tasks, and the audit log. */
export const administrationOperations: readonly Operation[] = [
  operation({
    tag: "admin",
    scope: ["admin"],
    id: "adminDeleteUser",
    route: "DELETE /admin/users/{username}",
    summary: "Delete a user",
    description: "Users who own repositories or belong to organizations are kept, unless purge is set.",
    access: siteAdministratorOnUser,
    query: { purge: Type.Optional(Type.Boolean({ description: "delete the repositories and leave the organizations first" })) },
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, user, query }) => {
      if (user.id === me.id) throw refuse.invalid("username", "you can't delete yourself")
      await services.database.write((tx) => deletePerson(tx, services, user, query.purge ?? false))
      await dropAvatar(services, user.avatar)
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminCronList",
    route: "GET /admin/cron",
    summary: "List scheduled tasks",
    paged: true,
    changesWithTime: true,
    answers: { 200: Type.Array(Cron) },
    refuses: ["forbidden"],
    handle: async ({ services, page }) => {
      const tasks = await services.jobs.tasks.list()
      return listed(tasks.slice(page.offset, page.offset + page.limit).map(presentTask), tasks.length)
    },
  }),

  operation({
    ...shared,
    id: "adminCronRun",
    route: "POST /admin/cron/{task}",
    summary: "Run a scheduled task now",
    description: "Answers once it has ended, however it ended; does nothing where it runs already.",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, path }) => {
      if ((await services.jobs.tasks.run(path.task)) === "unknown") throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminListDeeds",
    route: "GET /admin/audit",
    summary: "List what administrators did",
    description: "Newest first: every change that took an administrator, or was made in somebody else's name by one.",
    paged: true,
    query: {
      administrator: Type.Optional(Type.String({ description: "only what this administrator did" })),
      operation: Type.Optional(Type.String({ description: "only this operation, by its id" })),
      since: Type.Optional(dateTime({ description: "only what was done then or later" })),
      before: Type.Optional(dateTime({ description: "only what was done then or earlier" })),
    },
    answers: { 200: Type.Array(AuditEntry) },
    refuses: ["forbidden", "invalid"],
    handle: async ({ db, query, page }) => {
      const { rows, total } = await findAuditEntries(db, { ...query, since: secondsOf(query.since), before: secondsOf(query.before) }, page)
      return listed(rows, total)
    },
  }),
]
