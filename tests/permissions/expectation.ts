import type { Operation } from "../../src/core/operation.ts"
import type { Credential, Role, Visibility } from "./world.ts"

/** Let in, or the status of the refusal. */
export type Expected = "in" | 401 | 403 | 404

/**
 * What a caller must get, from the declared rule alone. This is written from the specification's side, not from the policies' code: what
 * somebody is to a subject is spelled out here once more.
 */
export function expected(operation: Operation, role: Role, visibility: Visibility, credential: Credential): Expected {
  if (role === "prohibited" && credential === "password") return 401
  if (role === "inactive" || role === "prohibited") return 403
  if (role !== "anonymous") {
    if (credential === "narrow" && operation.scope.length > 0) return 403
    if (credential === "publicOnly" && operation.publicOnly === "refused") return 403
    if (credential !== "password" && operation.basicOnly) return 401
  }
  const publicOnly = credential === "publicOnly" && role !== "anonymous"
  const { subject, needs, signIn } = operation.rule
  const anonymous = role === "anonymous"
  const needsSignIn = signIn === "required" && anonymous
  const hidden = visibility !== "public"
  const site = role === "siteAdministrator"

  switch (subject) {
    case "site":
      if (needsSignIn) return 401
      return needs === "siteAdministrator" && !site ? 403 : "in"

    case "user": {
      if (needsSignIn) return 401
      if (needs === "siteAdministrator") return site ? "in" : 403
      if (needs !== "known" && !personShown(role, visibility, publicOnly)) return 404
      return needs === "self" && !site ? 403 : "in"
    }

    case "organization": {
      if (needsSignIn) return 401
      if (publicOnly && hidden) return 404
      if (anonymous && hidden) return 404
      if (visibility === "private" && role !== "owner" && !site) return 404
      return (needs === "member" || needs === "owner") && role !== "owner" && !site ? 403 : "in"
    }

    case "team": {
      if (publicOnly && hidden) return 404
      if (anonymous) return 401
      if (role === "owner" || site) return "in"
      // Everybody else is a stranger to the organisation: the public team is shown, but is not theirs.
      if (hidden) return 404
      if (needs === "read") return "in"
      return needs === "privileged" ? 404 : 403
    }

    case "repository": {
      if (anonymous && operation.rule.asksFirst) return 401
      if ((publicOnly || anonymous) && hidden) return 404
      if (visibility === "private" && role === "stranger") return 404
      if (needsSignIn) return 401
      const rank = RANK[role]
      const wanted = needs === "reach" ? 1 : needs === "administrator" || needs === "selfOrAdministrator" ? 3 : needs === "owner" ? 4 : needs.endsWith(":write") ? 2 : needs.endsWith(":read") ? 1 : undefined
      if (wanted === undefined) throw new Error(`a repository rule that the matrix does not know: ${needs}`)
      return rank >= wanted ? "in" : 403
    }
  }
}

const RANK: Readonly<Record<Role, number>> = {
  anonymous: 1,
  stranger: 1,
  reader: 1,
  writer: 2,
  administrator: 3,
  owner: 4,
  siteAdministrator: 4,
  inactive: 0,
  prohibited: 0,
}

function personShown(role: Role, visibility: Visibility, publicOnly: boolean): boolean {
  if (visibility === "public") return true
  if (role === "anonymous" || publicOnly) return false
  return role === "siteAdministrator" || visibility === "limited"
}
