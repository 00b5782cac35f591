import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { listed, type Operation, ok, operation } from "../../../core/operation.ts"
import { int64, secondsOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { linesOf, presentEntry } from "./present.ts"
import { AuditEntry } from "./records.ts"
import { type EntryFilter, findEntries, findEntriesAfter } from "./store.ts"

const shared = {
  tag: "organization",
  scope: ["organization"],
  publicOnly: "refused",
  since: "0.2.0",
  access: onOrganizationAsOwner,
} as const

export const entryQuery = {
  actor: Type.Optional(Type.String({ description: "only what this account did, by its login of then" })),
  kind: Type.Optional(Type.String({ description: "only events of this kind, such as `team.memberAdded`, or all of `team`" })),
  repository: Type.Optional(Type.String({ description: "only what happened in the repository of this name" })),
  since: Type.Optional(Type.String({ format: "date-time", description: "only what happened then or later" })),
  before: Type.Optional(Type.String({ format: "date-time", description: "only what happened then or earlier" })),
}

type Asked = Readonly<Partial<Record<keyof typeof entryQuery, string>>>

export const filterOf = ({ since, before, ...words }: Asked): EntryFilter => ({
  ...words,
  since: secondsOf(since),
  before: secondsOf(before),
})

/** The audit log of an organisation, for its owners. */
export const auditOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgListAudit",
    route: "GET /orgs/{org}/audit",
    summary: "List what happened in an organization",
    description:
      "Newest first: members, teams, collaborators, repositories with their visibility and settings, protections, webhooks, secrets, keys, runners and tokens that are limited to the organization, with who did it, from where, and how they had signed in. Values of settings and secrets are never part of it.",
    paged: true,
    query: entryQuery,
    answers: { 200: Type.Array(AuditEntry) },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, organization, query, page }) => {
      const { rows, total } = await findEntries(db, organization.id, filterOf(query), page)
      return listed(rows.map(presentEntry), total)
    },
  }),

  operation({
    ...shared,
    id: "orgExportAudit",
    route: "GET /orgs/{org}/audit/export",
    summary: "Export what happened in an organization, as JSON Lines",
    description:
      "Oldest first, one `AuditEntry` a line. The `id` of the last line is the position to go on from: `after`. Empty where there is nothing after it yet.",
    query: {
      ...entryQuery,
      after: Type.Optional(int64({ description: "only entries after this position", minimum: 0 })),
      most: Type.Optional(
        Type.Integer({ description: "the most entries of one answer, 1,000 at most and unless given", minimum: 1, maximum: 1000 }),
      ),
    },
    answers: { 200: Type.String() },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, organization, query: { after = 0, most = 1000, ...asked } }) => {
      const rows = await findEntriesAfter(db, organization.id, filterOf(asked), { after, limit: most })
      return { ...ok(linesOf(rows)), headers: { "content-type": "application/jsonl" } }
    },
  }),
]
