import { neededScopes } from "../../../access/scopes.ts"
import { catalogue, type RefusalKind } from "../../../core/errors.ts"
import type { Operation } from "../../../core/operation.ts"
import { type About, type RefusedAnswer, refusalsOf, ruleText } from "./describe.ts"

/** One status with which an operation refuses. */
export interface Refused extends RefusedAnswer {
  readonly kinds: readonly RefusalKind[]
  /** In which cases, as far as the record of the operation tells. */
  readonly when: readonly string[]
  /** What tests have read, with … in place of names and numbers. */
  readonly texts: readonly string[]
}

const isKind = (kind: string): kind is RefusalKind => kind in catalogue
const kinds = Object.keys(catalogue).filter(isKind)

/** Refusals that any operation may answer, because of what surrounds it. */
const anywhere: readonly RefusalKind[] = [
  "badRequest",
  "badCredentials",
  "timeout",
  "tooLarge",
  "tooMany",
  "internal",
  "busy",
  "unavailable",
  "uncertain",
  "full",
]

export const generalRefusals = anywhere.map((kind) => ({ status: catalogue[kind].status, kind, text: catalogue[kind].title }))

/** The subjects of paths, with how many parameters name each. */
const subjects = {
  site: { words: "what the path names", names: Number.POSITIVE_INFINITY },
  user: { words: "the user", names: 1 },
  organization: { words: "the organisation", names: 1 },
  team: { words: "the team", names: 1 },
  repository: { words: "the repository", names: 2 },
} as const

/** The refusals of an operation, each with its cases and texts; `more` are those that follow from the headers that it takes. */
export function refusedBy(operation: Operation, about: About, more: readonly RefusalKind[] = []): readonly Refused[] {
  const seen = about.recorded?.refusals[operation.id] ?? {}
  return refusalsOf(operation, about, more).map((answer) => {
    const own = kinds.filter((kind) => catalogue[kind].status === answer.status && [...operation.refuses, ...more].includes(kind))
    const main = kinds.find((kind) => catalogue[kind].status === answer.status)
    const cases = casesOf(operation, answer.status)
    const declared = cases.length > 0 ? cases : own.filter((kind) => operation.refuses.includes(kind)).map((kind) => catalogue[kind].title)
    return {
      ...answer,
      kinds: own.length > 0 ? own : main ? [main] : [],
      when: [...declared, ...more.flatMap((kind) => conditionCases[kind]?.[answer.status] ?? [])],
      texts: seen[String(answer.status)] ?? [],
    }
  })
}

/** The cases that follow from the headers of writes, by kind and status. */
const conditionCases: Partial<Record<RefusalKind, Readonly<Record<number, string>>>> = {
  conflict: { [catalogue.conflict.status]: "another request with the same Idempotency-Key has no answer yet" },
  preconditionFailed: { [catalogue.preconditionFailed.status]: "what is changed is no longer what If-Match names" },
  invalid: { [catalogue.invalid.status]: "the Idempotency-Key was sent with another request" },
}

function casesOf(operation: Operation, status: number): readonly string[] {
  const { rule, method, scope, publicOnly, archived, basicOnly, body, refuses, query, parameters } = operation
  const scopes = neededScopes(method, scope)
  switch (status) {
    case 401:
      return [basicOnly ? "the request has no Basic header" : "nobody is signed in"]
    case 403:
      return [
        ...(rule.signIn === "required" && rule.needs !== "signIn" ? [`the caller is none of these: ${ruleText(rule)}`] : []),
        ...(scopes.length > 0 ? [`a token lacks ${scopes.join(" or ")}`] : []),
        ...(publicOnly === "refused" ? ["the token is for public things only"] : []),
        ...(refuses.includes("forbidden") ? ["what is sent asks for more than the caller may"] : []),
      ]
    case 404:
      return [
        `${subjects[rule.subject].words} is missing, or hidden from the caller`,
        ...(parameters.length > subjects[rule.subject].names ? ["something below it that the path names is missing"] : []),
        ...(refuses.includes("notFound") && (body || rule.subject === "site") ? ["something that the request names is missing"] : []),
      ]
    case 422:
      return [
        ...(body ? ["the body doesn’t fit its schema"] : []),
        ...(Object.keys(query.properties).length > 0 ? ["a parameter doesn’t fit its schema"] : []),
        ...(refuses.includes("invalid") ? ["a value is not accepted; the message begins with its name in brackets"] : []),
      ]
    case 423:
      return [archived === "refused" ? "the repository is archived" : catalogue.archived.title]
    default:
      return []
  }
}
