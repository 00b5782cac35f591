import { nullable } from "../../../../core/record.ts"
import Type, { Check, type Static } from "../../../../core/schema.ts"

/** The few members of a payload that messages are made from. */

const Person = Type.Object({ login: Type.String(), avatar_url: Type.String(), html_url: Type.String() })
const Subject = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  html_url: Type.String(),
  merged: Type.Optional(Type.Boolean()),
})

const Package = Type.Object({ name: Type.String(), version: Type.String(), html_url: Type.String(), owner: Person })

const Home = Type.Object({ full_name: Type.String(), html_url: Type.String() })

const Payload = Type.Object({
  action: Type.Optional(Type.String()),
  repository: Home,
  sender: Person,
  ref: Type.Optional(Type.String()),
  ref_type: Type.Optional(Type.String()),
  after: Type.Optional(Type.String()),
  compare_url: Type.Optional(Type.String()),
  total_commits: Type.Optional(Type.Integer()),
  commits: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.String(), message: Type.String(), url: Type.String(), author: Type.Object({ name: Type.String() }) }),
    ),
  ),
  issue: Type.Optional(Subject),
  pull_request: Type.Optional(Subject),
  comment: Type.Optional(Type.Object({ body: Type.String(), html_url: Type.String() })),
  review: Type.Optional(nullable(Type.Object({ content: Type.String() }))),
  requested_reviewer: Type.Optional(nullable(Person)),
  release: Type.Optional(Type.Object({ tag_name: Type.String(), name: Type.String(), body: Type.String(), html_url: Type.String() })),
  forkee: Type.Optional(Type.Object({ full_name: Type.String(), html_url: Type.String() })),
  state: Type.Optional(Type.String()),
  context: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  target_url: Type.Optional(Type.String()),
  sha: Type.Optional(Type.String()),
  page: Type.Optional(Type.String()),
  merge_group: Type.Optional(Type.Object({ head_sha: Type.String() })),
  reason: Type.Optional(Type.String()),
  changes: Type.Optional(Type.Object({ name: Type.Optional(Type.Object({ from: Type.String() })) })),
  package: Type.Optional(Package),
  restored: Type.Optional(Type.Boolean()),
})
export type Payload = Static<typeof Payload>

/** Parses a payload; undefined for one that no message can be made from. */
export function readPayload(payload: unknown): Payload | undefined {
  if (Check(Payload, payload)) return payload
  if (!Check(OfOwner, payload)) return undefined
  const { owner } = payload.package
  return { ...payload, repository: { full_name: owner.login, html_url: owner.html_url } }
}

/** Of a package without a repository; its owner stands in for that. */
const OfOwner = Type.Object({ action: Type.String(), repository: Type.Null(), sender: Person, package: Package })
