import { onPull } from "../../../access/policies/pulls.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { diffFields } from "../../parts/diffs/choices.ts"

const number = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }))

/** The versions of a pull request, and what its author changed between two of them. */
export const versionsPage: Page = page({
  id: "pull.versions",
  address: "GET /{owner}/{repo}/pulls/{index}/versions",
  access: onPull,
  changesWithTime: true,
  query: { ...diffFields, from: number, to: number },
  answer: async (call) => (await import("./stack-view.ts")).showVersions(call),
})
