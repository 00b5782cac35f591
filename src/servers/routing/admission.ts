import { mayRead, neededScopes, scopeAllows } from "../../access/scopes.ts"
import type { AdmissionRule } from "../../access/words.ts"
import { type Actor, chosenOf, hasPublicOnlyScope, jobOf } from "../../core/actor.ts"
import { type Refusal, refuse } from "../../core/errors.ts"
import type { File } from "../../core/file.ts"
import { NOT_CHOSEN } from "../../core/limited-token.ts"
import type { Operation } from "../../core/operation.ts"
import type { Page } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"

/** Who may ask for a record at all, whatever it is about: decided before anything is looked up. */

/** One of the conditions for operations, in their order; `explain` names it. */
export interface Admission {
  readonly rule: AdmissionRule
  /** Whether it says anything to such a caller. */
  readonly applies: (services: Services, operation: Operation, actor: Actor) => boolean
  readonly refuses: (services: Services, operation: Operation, actor: Actor) => Refusal | undefined
}

const isToken = (actor: Actor): boolean => actor.kind === "user" && actor.credential.kind === "token"

export const ADMISSION: readonly Admission[] = [
  {
    rule: "token.job",
    applies: (_services, { method }, actor) => jobOf(actor) !== undefined && method !== "GET",
    // The service's own user has no account to change.
    refuses: (_services, { path }) =>
      path.startsWith("/repos/{owner}/{repo}/")
        ? undefined
        : refuse.forbidden("the token of a job can only change things of its repository"),
  },
  {
    rule: "token.scope",
    applies: (_services, _operation, actor) => isToken(actor),
    refuses: (_services, { method, scope }, actor) => {
      if (actor.kind === "anonymous" || actor.credential.kind !== "token") return undefined
      const { scopes } = actor.credential
      const needed = neededScopes(method, scope)
      if (needed.every((each) => scopeAllows(scopes, each))) return undefined
      const words = `token does not have at least one of required scope(s), required=[${needed.join(" ")}], token scope=${[...scopes].join(",")}`
      return refuse.forbidden(words)
    },
  },
  {
    rule: "token.publicOnly",
    applies: (_services, { publicOnly }, actor) => publicOnly === "refused" && hasPublicOnlyScope(actor),
    refuses: () => refuse.forbidden("this endpoint is not available for public-only tokens"),
  },
  {
    rule: "token.chosen",
    applies: (_services, { publicOnly }, actor) => publicOnly === "refused" && chosenOf(actor) !== undefined,
    // What is of an account, and not of its repositories, no one has chosen.
    refuses: (_services, { rule: { subject } }) => (subject === "site" || subject === "user" ? refuse.forbidden(NOT_CHOSEN) : undefined),
  },
  {
    rule: "site.signIn",
    applies: ({ config }) => config.security.requireSignIn,
    refuses: (_services, _operation, actor) =>
      actor.kind === "anonymous" ? refuse.forbidden("Only signed in user is allowed to call APIs.") : undefined,
  },
  {
    rule: "signIn.basic",
    applies: (_services, { basicOnly }, actor) => basicOnly && actor.kind === "user",
    refuses: (_services, _operation, actor) =>
      actor.kind === "user" && !actor.basic ? refuse.unauthenticated("sign in with a Basic header for this") : undefined,
  },
]

export function admitToOperation(services: Services, operation: Operation, actor: Actor): void {
  for (const { applies, refuses } of ADMISSION) {
    const refusal = applies(services, operation, actor) ? refuses(services, operation, actor) : undefined
    if (refusal) throw refusal
  }
}

export function admitToPage(services: Services, page: Page, actor: Actor): void {
  // Before anything is looked up: what is hidden or missing leads to signing in as everything else does.
  const asksFirst =
    (services.config.security.requireSignIn && !page.beforeSignIn) || (page.rule.signIn === "required" && page.method === "GET")
  if (asksFirst && actor.kind === "anonymous") throw refuse.unauthenticated()
  if (page.programs?.some((category) => !mayRead(services, actor, category))) throw refuse.notFound()
}

export function admitToFile(services: Services, { programs = [] }: File, actor: Actor): void {
  if (programs.some((category) => !mayRead(services, actor, category))) throw refuse.notFound()
}
