import type { Tool as Described } from "@modelcontextprotocol/sdk/types.js"
import type { FastifyRequest } from "fastify"
import { neededScopes, normalizeScopes } from "../../access/scopes.ts"
import type { Actor } from "../../core/actor.ts"
import { memberOf } from "../../core/check.ts"
import { Refusal, refuse } from "../../core/errors.ts"
import { t } from "../../core/language/message.ts"
import type { Operation } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { requireTaskOperation } from "../../core/task-token.ts"
import { isInToolset, isToolset, TOOLSETS } from "../../core/toolsets.ts"
import { queryOf } from "../../web/address.ts"
import { takesFiles } from "../api/call.ts"
import { admitToOperation } from "../routing/admission.ts"
import { headerText } from "../routing/callers.ts"

/** Tools, made of the records of operations: their names are the ids of these, which never change. */

/** The toolset that a client has which asks for none: enough to find, read and propose, and few enough to be understood. */
const DEFAULT: ReadonlySet<string> = new Set([
  "getCurrentToken",
  "repoSearch",
  "issueSearchIssues",
  "repoGet",
  "repoGetContents",
  "GetTree",
  "repoListBranches",
  "repoGetAllCommits",
  "repoGetSingleCommit",
  "repoCompareDiff",
  "issueListIssues",
  "issueGetIssue",
  "issueGetComments",
  "repoListPullRequests",
  "repoGetPullRequest",
  "repoGetPullRequestFiles",
  "repoListPullReviews",
  "issueCreateIssue",
  "issueCreateComment",
  "repoCreateBranch",
  "repoChangeFiles",
  "repoCreatePullRequest",
  "repoCreatePullReview",
])

/** Additions that may take something away all the same. */
const DESTRUCTIVE: ReadonlySet<string> = new Set(["repoChangeFiles", "repoApplyDiffPatch", "repoMergePullRequest", "repoTransfer"])

const made = new WeakMap<Operation, Described>()

/** The toolsets that a client asks for in its address or a header; else those of the site. */
export const wishedToolsets = ({ config }: Services, request: FastifyRequest): readonly string[] =>
  named(queryOf(request.url).get("toolsets") ?? headerText(request, "x-mcp-toolsets") ?? config.mcp.toolsets)

/** The names of a list with commas. */
export const named = (list: string): readonly string[] =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** Refuses unknown toolsets as `invalid`. */
export function requireToolsets(toolsets: readonly string[]): void {
  const unknown = toolsets.find((name) => name !== "default" && name !== "all" && !isToolset(name))
  if (unknown !== undefined)
    throw refuse.invalid("toolsets", t`${unknown} is none of default, all, ${TOOLSETS.map(({ name }) => name).join(", ")}`)
}

/**
 * The operations of these toolsets; `default` is the small one, `all` every operation. What takes or gives files is no tool, and neither is what asks for a
 * password.
 */
export const chosenOperations = (operations: readonly Operation[], toolsets: readonly string[]): readonly Operation[] =>
  operations.filter((operation) => {
    if (operation.basicOnly || operation.deprecated || takesFiles(operation)) return false
    const asked = askedOf(operation)
    return toolsets.some((name) => name === "all" || (name === "default" ? DEFAULT.has(operation.id) : isInToolset(name, asked)))
  })

/** The scopes that a client asks for to use these operations. One that only reads, though by POST, is no reason to ask for more than reading. */
export const scopesFor = (operations: readonly Operation[]): readonly string[] =>
  normalizeScopes(operations.flatMap(({ method, scope, changes }) => neededScopes(changes ? method : "GET", scope)))

/** The tools of those operations that the caller's token may use at all. */
export async function toolsFor(services: Services, chosen: readonly Operation[], actor: Actor): Promise<readonly Described[]> {
  const tools: Described[] = []
  for (const operation of chosen) if ((await whyUnusable(services, operation, actor)) === undefined) tools.push(describedTool(operation))
  return tools
}

export const askedOf = ({ id, method, path, rule }: Operation) => ({ id, method, path, needs: rule.needs })

/** Why the token may not be used for it, whatever it is about; undefined where it may. Asked again when it is called. */
export async function whyUnusable(services: Services, operation: Operation, actor: Actor): Promise<Refusal | undefined> {
  try {
    admitToOperation(services, operation, actor)
    await requireTaskOperation(actor, askedOf(operation))
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function describedTool(operation: Operation): Described {
  const known = made.get(operation)
  if (known) return known
  const described = describe(operation)
  made.set(operation, described)
  return described
}

function describe(operation: Operation): Described {
  const { id, method, path, summary, description, parameters, query, body, changes } = operation
  const ofPath = parameters.map(({ name, numeric }) => [name, { type: numeric ? "integer" : "string" }] as const)
  const ofQuery = Object.entries(query.properties).map(([name, schema]) => [name, plain(schema)] as const)
  const needsBody = body !== undefined && (memberOf(body, "type") === "string" || isNonEmpty(memberOf(body, "required")))
  return {
    name: id,
    title: summary,
    description: [summary, description, `${method} ${path}`].filter((text) => text !== "").join(". "),
    inputSchema: {
      type: "object",
      properties: {
        ...Object.fromEntries(ofQuery),
        ...Object.fromEntries(ofPath),
        ...(body !== undefined && { body: plainObject(body) }),
        ...(changes
          ? { dry_run: { type: "boolean", description: "say what would be done, and do nothing" } }
          : { part: { type: "integer", minimum: 1, description: "which part of a long answer, from 1" } }),
      },
      required: [...ofPath.map(([name]) => name), ...(needsBody ? ["body"] : [])],
      additionalProperties: false,
    },
    annotations: {
      title: summary,
      readOnlyHint: !changes,
      ...(changes && {
        destructiveHint: method === "DELETE" || method === "PUT" || method === "PATCH" || DESTRUCTIVE.has(id),
        idempotentHint: method === "DELETE" || method === "PUT",
      }),
      openWorldHint: false,
    },
  }
}

const isNonEmpty = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** What only this server reads in its schemas. */
const OWN_KEYWORDS: ReadonlySet<string> = new Set(["lenient", "synonyms", "formerly"])

/** A schema as every reader of JSON Schema knows it. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain)
  if (typeof schema !== "object" || schema === null) return schema
  return plainObject(schema)
}

function plainObject(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => (OWN_KEYWORDS.has(name) ? [] : [[name, plain(value)] as const])),
  )
}
