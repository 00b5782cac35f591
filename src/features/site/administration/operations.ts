import { siteAdministratorOnUser } from "../../../access/policies/people.ts"
import { siteAdministrator } from "../../../access/policies/site.ts"
import { messageOf } from "../../../core/database/failures.ts"
import { refuse } from "../../../core/errors.ts"
import type { ScheduledTask } from "../../../core/jobs/jobs.ts"
import { t } from "../../../core/language/message.ts"
import { created, listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import { dateTime, NEVER, rfc3339, secondsOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { composeTestMail, SIGN_UP_PATH } from "../../events/mail/compose-account.ts"
import { dropAvatar } from "../../people/avatars/pictures.ts"
import { invitationCode, invite } from "../../people/sign-in/registration/registration.ts"
import { type AuditRow, findAuditEntries } from "./audit-store.ts"
import { deletePerson, purgeRepositories } from "./delete-person.ts"
import { AuditEntry, Cron, Invitation, InviteOption, TestMailOption } from "./records.ts"

const shared = { tag: "admin", scope: ["admin"], access: siteAdministrator } as const

/** How long a mail server may take for a test. */
const MAIL_MS = 20_000

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
      if (query.purge === true) await purgeRepositories(services, user)
      await services.database.write((tx) => deletePerson(tx, services, user, query.purge ?? false))
      await dropAvatar(services, user.avatar)
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminInvite",
    since: "0.2.0",
    route: "POST /admin/invitations",
    summary: "Invite an e-mail address to register",
    description:
      "By mail, where the site sends mail; the answer has the link for those where it doesn't. An earlier invitation of the address is void then.",
    body: InviteOption,
    answers: { 201: Invitation },
    refuses: ["forbidden", "conflict", "invalid"],
    handle: async ({ services, me, body }) => {
      const invitation = await services.database.write((tx) => invite(services, tx, { email: body.email, actor: me }))
      const link = `${services.site.rootUrl}${SIGN_UP_PATH}?code=${invitationCode(services, invitation)}`
      return created({ email: invitation.lower_email, link, expires_at: rfc3339(invitation.expires_at) })
    },
  }),

  operation({
    ...shared,
    id: "adminSendTestMail",
    since: "0.2.0",
    route: "POST /admin/mail/test",
    summary: "Send a test mail",
    description: "Answers when the mail server has taken it, or says why it has not.",
    body: TestMailOption,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "invalid"],
    handle: async ({ services, body }) => {
      const { config, mailer, site } = services
      if (config.mail.host === "") throw refuse.badRequest("no mail server is set up: set mail.host")
      await mailer.send(composeTestMail(site, body.email), AbortSignal.timeout(MAIL_MS)).catch((error: unknown) => {
        throw refuse.badRequest(t`the mail server did not take it: ${messageOf(error)}`)
      })
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
    description:
      "Answers at once; GET /admin/cron tells when it was started, and how often it has ended. Does nothing where it runs already.",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, path }) => {
      if (!(await services.jobs.tasks.request(path.task))) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminListDeeds",
    route: "GET /admin/audit",
    summary: "List the audit log",
    description:
      "Newest first: every change that took an administrator, or was made in someone else's name by one; and every wrong password and second-factor code.",
    paged: true,
    query: {
      administrator: Type.Optional(Type.String({ description: "only what this administrator did" })),
      operation: Type.Optional(Type.String({ description: "only this operation, by its id" })),
      account: Type.Optional(Type.String({ description: "only failed sign-ins to the account of this name" })),
      since: Type.Optional(dateTime({ description: "only what was done then or later" })),
      before: Type.Optional(dateTime({ description: "only what was done then or earlier" })),
    },
    answers: { 200: Type.Array(AuditEntry) },
    refuses: ["forbidden", "invalid"],
    handle: async ({ db, query, page }) => {
      const { rows, total } = await findAuditEntries(db, { ...query, since: secondsOf(query.since), before: secondsOf(query.before) }, page)
      return listed(rows.map(presentAuditEntry), total)
    },
  }),
]

const presentAuditEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  administrator: row.administrator_name,
  acting_as: row.acting_as,
  operation: row.operation,
  path: row.path,
  status: row.status,
  ip: row.ip,
  account: row.account_name,
  times: row.times,
  created_at: rfc3339(row.created_at),
})
