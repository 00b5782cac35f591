import { nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { User } from "../../people/users/records.ts"

const MODES = ["free", "limited", "held"] as const

/** An issue or a pull request of a newcomer that waits for approval, or was decided about. */
export const HeldRequest = record("HeldRequest", {
  id: Type.Integer(),
  kind: oneOf(["issue", "pull"]),
  state: oneOf(["waiting", "approved", "rejected"], { description: "only what waits is in the list of a repository" }),
  repository: Type.String({ description: "owner/name" }),
  author: nullable(User),
  title: Type.String(),
  body: Type.String(),
  base: Type.Optional(Type.String({ description: "of a pull request" })),
  head: Type.Optional(Type.String({ description: "of a pull request" })),
  number: Type.Integer({ description: "the number that it got; 0 until it is approved" }),
  created_at: Type.String({ format: "date-time" }),
})
export type HeldRequest = Static<typeof HeldRequest>

export const RejectHeldOption = record("RejectHeldOption", {
  block: Type.Optional(
    Type.Boolean({
      description: "the owner blocks the author as well, and all of theirs that waits here is rejected; for owners of the repository",
    }),
  ),
})

const rule = {
  days: Type.Integer({
    minimum: 0,
    maximum: 3650,
    description: "accounts that are younger, and those without a verified address, are newcomers; 0: all",
  }),
  per_day: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: "issues and pull requests of one of them in a repository a day; 0: no limit",
  }),
}

/** What happens to first issues and pull requests. Null is what the owner, or the site, says. */
export const NewcomerRules = record("NewcomerRules", {
  mode: nullable(oneOf(MODES, { description: "held: they wait until somebody who may write there approves them" })),
  days: nullable(rule.days),
  per_day: nullable(rule.per_day),
  effective: record("NewcomerRulesEffective", { mode: oneOf(MODES), ...rule }),
})

export const EditNewcomerRulesOption = record("EditNewcomerRulesOption", {
  mode: Type.Optional(nullable(oneOf(MODES))),
  days: Type.Optional(nullable(rule.days)),
  per_day: Type.Optional(nullable(rule.per_day)),
})
