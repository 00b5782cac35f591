import { randomBytes } from "node:crypto"
import type { Services } from "../../src/core/services.ts"

/** A small world in which every kind of caller meets every kind of subject. It is built through the API, as people would. */

export const roles = ["anonymous", "stranger", "reader", "writer", "administrator", "owner", "siteAdministrator", "inactive", "prohibited"] as const
export type Role = (typeof roles)[number]

export const visibilities = ["public", "limited", "private"] as const
export type Visibility = (typeof visibilities)[number]

export const credentials = ["password", "full", "narrow", "publicOnly"] as const
export type Credential = (typeof credentials)[number]

/** What the tokens of each kind carry; the narrow one opens nothing but what needs no scope. */
const TOKEN_SCOPES = { full: ["all"], narrow: ["read:misc"], publicOnly: ["all", "public-only"] } as const

export interface World {
  /** The Authorization header of a caller; undefined for anonymous. */
  readonly authorization: (role: Role, credential: Credential) => string | undefined
  /** What stands in the path for each parameter, by the subject's visibility. */
  readonly parameters: (visibility: Visibility) => Readonly<Record<string, string>>
}

/** What is read of the answers. */
interface Made {
  readonly id?: number
  readonly sha1?: string
}

/**
 * For each visibility an organisation `org-V`, with a repository (private in the private one) and a team, and a person `person-V`.
 * Reader, writer and administrator are collaborators of each repository; the owner owns each organisation.
 */
export async function buildWorld(url: string, token: string, services: Services): Promise<World> {
  const call = async (method: string, path: string, body?: object, authorization = `token ${token}`): Promise<Made> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === "" ? {} : JSON.parse(text)
  }
  const password = randomBytes(9).toString("base64url")
  const basic = (name: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
  const headers = new Map<string, string>()
  const people = roles.filter((role) => role !== "anonymous")
  for (const role of people) {
    const name = role.toLowerCase()
    await call("POST", "/admin/users", { username: name, email: `${name}@example.com`, password, must_change_password: false })
    headers.set(`${role} password`, basic(name))
    for (const [kind, scopes] of Object.entries(TOKEN_SCOPES)) {
      const made = await call("POST", `/users/${name}/tokens`, { name: kind, scopes }, basic(name))
      headers.set(`${role} ${kind}`, `token ${made.sha1}`)
    }
  }
  const owner = basic("owner")
  const values = new Map<Visibility, Readonly<Record<string, string>>>()
  for (const visibility of visibilities) {
    const person = `person-${visibility}`
    await call("POST", "/admin/users", { username: person, email: `${person}@example.com`, password, visibility, must_change_password: false })
    const org = `org-${visibility}`
    await call("POST", "/orgs", { username: org, visibility }, owner)
    const team = await call("POST", `/orgs/${org}/teams`, { name: "team", visibility, units_map: { "repo.code": "read" } }, owner)
    const repository = await call("POST", `/orgs/${org}/repos`, { name: "repo", private: visibility === "private" }, owner)
    for (const [name, permission] of [["reader", "read"], ["writer", "write"], ["administrator", "admin"]] as const)
      await call("PUT", `/repos/${org}/repo/collaborators/${name}`, { permission }, owner)
    values.set(visibility, { owner: org, repo: "repo", org, username: person, team_id: String(team.id), repository_id: String(repository.id) })
  }
  await services.database.write(async (tx) => {
    const bump = { credentials_version: 2 }
    await tx.updateTable("users").set({ is_admin: 1, ...bump }).where("lower_name", "=", "siteadministrator").execute()
    await tx.updateTable("users").set({ is_active: 0, ...bump }).where("lower_name", "=", "inactive").execute()
    await tx.updateTable("users").set({ prohibit_login: 1, ...bump }).where("lower_name", "=", "prohibited").execute()
  })
  return {
    authorization: (role, credential) => headers.get(`${role} ${credential}`),
    parameters: (visibility) => values.get(visibility) ?? {},
  }
}
