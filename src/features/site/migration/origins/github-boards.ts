import type { Seconds } from "../../../../core/database/tables/index.ts"
import Type, { Check, type Static, type TSchema } from "../../../../core/schema.ts"
import type { Services } from "../../../../core/services.ts"
import { parseTime } from "../../../code/mirrors/import-target.ts"
import type { Board, BranchRule, Person } from "./model.ts"
import type { Batch } from "./origin.ts"
import { openRest } from "./rest.ts"
import { NONE, number, text } from "./shapes.ts"

/*
 * Boards and rules for branches, which one query of GraphQL has: boards are in no other list, and rules with patterns neither. Both need a token that may see
 * them; without one there are none.
 */

const nodes = <S extends TSchema>(node: S) => Type.Object({ nodes: Type.Array(node) })
const orNone = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, NONE]))

const item = Type.Object({
  content: orNone(Type.Object({ number, repository: orNone(Type.Object({ nameWithOwner: text })) })),
  fieldValueByName: orNone(Type.Object({ optionId: text })),
})

const project = Type.Object({
  id: Type.String(),
  title: Type.String(),
  shortDescription: text,
  closed: Type.Boolean(),
  createdAt: text,
  field: orNone(Type.Object({ options: orNone(Type.Array(Type.Object({ id: Type.String(), name: Type.String(), color: text }))) })),
  items: Type.Object({ nodes: Type.Array(item), pageInfo: Type.Object({ hasNextPage: Type.Boolean(), endCursor: text }) }),
})

const rule = Type.Object({
  id: Type.String(),
  pattern: Type.String({ minLength: 1 }),
  allowsForcePushes: Type.Boolean(),
  restrictsPushes: Type.Boolean(),
  requiresApprovingReviews: Type.Boolean(),
  requiredApprovingReviewCount: number,
  dismissesStaleReviews: Type.Boolean(),
  requiresStatusChecks: Type.Boolean(),
  requiresStrictStatusChecks: Type.Boolean(),
  requiredStatusCheckContexts: orNone(Type.Array(text)),
  requiresCommitSignatures: Type.Boolean(),
  isAdminEnforced: Type.Boolean(),
  pushAllowances: nodes(Type.Object({ actor: orNone(Type.Object({ login: text, databaseId: number })) })),
})

const answerOf = <S extends TSchema>(repository: S) =>
  Type.Object({ data: orNone(Type.Object({ repository: Type.Union([repository, NONE]) })) })

const Boards = answerOf(
  Type.Object({
    projectsV2: Type.Object({
      nodes: Type.Array(Type.Union([project, NONE])),
      pageInfo: Type.Object({ hasNextPage: Type.Boolean(), endCursor: text }),
    }),
  }),
)
const Rules = answerOf(Type.Object({ branchProtectionRules: nodes(rule) }))

/** The cards of one board, a hundred at a time. */
const BOARDS = `query ($owner: String!, $name: String!, $after: String, $items: String) {
  repository(owner: $owner, name: $name) {
    projectsV2(first: 1, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id title shortDescription closed createdAt
        field(name: "Status") { ... on ProjectV2SingleSelectField { options { id name color } } }
        items(first: 100, after: $items) {
          pageInfo { hasNextPage endCursor }
          nodes {
            content {
              ... on Issue { number repository { nameWithOwner } }
              ... on PullRequest { number repository { nameWithOwner } }
            }
            fieldValueByName(name: "Status") { ... on ProjectV2ItemFieldSingleSelectValue { optionId } }
          }
        }
      }
    }
  }
}`

const RULES = `query ($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    branchProtectionRules(first: 100) {
      nodes {
        id pattern allowsForcePushes restrictsPushes requiresApprovingReviews requiredApprovingReviewCount dismissesStaleReviews
        requiresStatusChecks requiresStrictStatusChecks requiredStatusCheckContexts requiresCommitSignatures isAdminEnforced
        pushAllowances(first: 100) { nodes { actor { ... on User { login databaseId } } } }
      }
    }
  }
}`

/** GitHub has names for the colours of columns. */
const COLORS: Readonly<Record<string, string>> = {
  BLUE: "0969da",
  GRAY: "6e7781",
  GREEN: "1a7f37",
  ORANGE: "bc4c00",
  PINK: "bf3989",
  PURPLE: "8250df",
  RED: "cf222e",
  YELLOW: "9a6700",
}

/** Where cards without a status stand. */
const NO_STATUS = { key: "", title: "No status", color: "" } as const

const Place = Type.Object({ board: Type.String(), items: Type.String() })

function placeOf(position: string): Static<typeof Place> {
  const stored: unknown = position === "" ? undefined : JSON.parse(position)
  return Check(Place, stored) ? stored : { board: "", items: "" }
}

interface Options {
  /** `repos/{owner}/{name}`. */
  readonly path: string
  readonly graph: string
  readonly headers: Readonly<Record<string, string>>
  readonly now: Seconds
}

export function openBoards(services: Services, { path, graph, headers, now }: Options) {
  const [, owner = "", name = ""] = path.split("/")
  const queries = headers["authorization"] === undefined ? undefined : openRest(services, { base: graph, headers })
  const none = { records: [], faults: [], next: undefined, total: 0 }
  const unseen = (what: string) => ({ ...none, faults: [{ key: "", why: `the server does not show ${what} to this token` }] })

  return {
    async boards(position: string, signal: AbortSignal): Promise<Batch<"boards">> {
      if (!queries) return none
      const at = placeOf(position)
      const variables = { owner, name, after: at.board || null, items: at.items || null }
      const found = (await queries.post(graph, { query: BOARDS, variables }, Boards, signal))?.record.data?.repository
      if (!found) return unseen("boards")
      const { nodes, pageInfo } = found.projectsV2
      const [board] = nodes
      const items = board?.items.pageInfo
      const next = items?.hasNextPage
        ? { ...at, items: items.endCursor ?? "" }
        : pageInfo.hasNextPage
          ? { board: pageInfo.endCursor ?? "", items: "" }
          : undefined
      return {
        records: board ? [presentBoard(board, `${owner}/${name}`, now)] : [],
        faults: [],
        next: next && JSON.stringify(next),
        total: null,
      }
    },

    async branchRules(signal: AbortSignal): Promise<Batch<"branch_rules">> {
      if (!queries) return none
      const found = (await queries.post(graph, { query: RULES, variables: { owner, name } }, Rules, signal))?.record.data?.repository
      return found ? { ...none, records: found.branchProtectionRules.nodes.map(presentRule), total: null } : unseen("rules for branches")
    },
  }
}

function presentBoard(
  { id, title, shortDescription, closed, createdAt, field, items }: Static<typeof project>,
  here: string,
  now: Seconds,
): Board {
  const options = field?.options ?? []
  return {
    key: id,
    title,
    description: shortDescription ?? "",
    isClosed: closed,
    createdAt: parseTime(createdAt, now),
    columns: [NO_STATUS, ...options.map(({ id, name, color }) => ({ key: id, title: name, color: COLORS[color ?? ""] ?? "" }))],
    // A board may have cards of other repositories too, and notes of its own.
    cards: items.nodes.flatMap(({ content, fieldValueByName }) =>
      content?.number && content.repository?.nameWithOwner?.toLowerCase() === here.toLowerCase()
        ? [{ on: { number: content.number }, column: fieldValueByName?.optionId ?? NO_STATUS.key }]
        : [],
    ),
  }
}

const presentRule = (record: Static<typeof rule>): BranchRule => ({
  key: record.id,
  name: record.pattern,
  // What has to be approved comes by a pull request.
  allowsPushes: !record.requiresApprovingReviews,
  allowsForcePushes: record.allowsForcePushes,
  pushers: record.restrictsPushes
    ? record.pushAllowances.nodes.flatMap(({ actor }): readonly Person[] =>
        actor?.login ? [{ key: actor.databaseId ? String(actor.databaseId) : "", login: actor.login }] : [],
      )
    : undefined,
  mergers: undefined,
  approvals: record.requiresApprovingReviews ? (record.requiredApprovingReviewCount ?? 1) : 0,
  dismissesStale: record.dismissesStaleReviews,
  blocksRejected: record.requiresApprovingReviews,
  blocksOutdated: record.requiresStrictStatusChecks,
  checks: record.requiresStatusChecks ? (record.requiredStatusCheckContexts ?? []).flatMap((context) => context ?? []) : undefined,
  wantsSignatures: record.requiresCommitSignatures,
  bindsAdministrators: record.isAdminEnforced,
})
