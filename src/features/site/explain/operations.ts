import { anyone } from "../../../access/policies/site.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { explain } from "./explainer.ts"
import { Explanation } from "./records.ts"

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

export const explainOperations: readonly Operation[] = [
  operation({
    id: "explainRequest",
    since: "0.2.0",
    route: "GET /explain",
    summary: "Explain whether a request is allowed, and why",
    description:
      "For oneself, with the credential of the call; for others as if they had signed in with their password. Administrators of the site may ask about " +
      "everybody; those of a repository, and owners of an organization, about others in what they administer. What the caller may not know of is " +
      "explained as what is missing.",
    tag: "miscellaneous",
    scope: [],
    access: anyone,
    changesWithTime: true,
    query: {
      method: Type.Optional(oneOf(METHODS, { description: "GET unless said otherwise" })),
      path: Type.String({
        minLength: 1,
        maxLength: 2048,
        pattern: "^/",
        description:
          "an address of this site without its host: of the API (/api/v1/…, or as in batches), a page, a file, or of git (/owner/repository.git)",
      }),
      as: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "the name of somebody else" })),
    },
    answers: { 200: Explanation },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, db, actor, query: { method = "GET", path, as } }) => {
      const { steps, ...explained } = await explain({ services, db, actor }, { method, path, as })
      return ok({ ...explained, steps: steps.map(({ because, ...step }) => ({ ...step, because: String(because) })) })
    },
  }),
]
