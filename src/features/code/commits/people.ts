import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import type { Person } from "../../../git/index.ts"
import { noReplyAddress } from "../../people/users/present.ts"
import { findByAddresses } from "./store.ts"

/** Finds the user who owns the address in a commit. */
export type FindPerson = (person: Pick<Person, "email">) => User | undefined

/** Finds the users who own these addresses, in one query. Only activated addresses count. */
export async function findPeople(db: Handle, site: Site, people: readonly Pick<Person, "email">[]): Promise<FindPerson> {
  const emails = [...new Set(people.map(({ email }) => email.toLowerCase()).filter((email) => email !== ""))]
  if (emails.length === 0) return () => undefined
  const ids = emails.flatMap((email) => standInOf(site, email)?.id ?? [])
  const found = await findByAddresses(db, { emails, ids })
  const byEmail = new Map(found.filter(({ lower_email }) => lower_email !== "").map(({ lower_email, ...user }) => [lower_email, user]))
  const byId = new Map(found.filter(({ lower_email }) => lower_email === "").map(({ lower_email: _, ...user }) => [user.id, user]))
  return ({ email }) => {
    const address = email.toLowerCase()
    const known = byEmail.get(address)
    if (known) return known
    const standIn = standInOf(site, address)
    const user = standIn && byId.get(standIn.id)
    return user?.kind === "person" ? user : undefined
  }
}

/** The account behind a no-reply address made by `noReplyAddress`: by its id, since names change. */
function standInOf(site: Site, email: string): { readonly id: number } | undefined {
  const at = email.lastIndexOf("@")
  if (email.slice(at + 1) !== site.noReplyDomain.toLowerCase()) return undefined
  const id = /^(\d{1,15})\+/.exec(email.slice(0, at))?.[1]
  return id === undefined ? undefined : { id: Number(id) }
}

/** The author or committer of a commit that the service makes for a user. */
export function commitPerson({ site, now }: Pick<Services, "site" | "now">, user: User): Person {
  const email = user.hide_email === 1 || user.email === "" ? noReplyAddress(site, user) : user.email
  return { name: user.full_name || user.name, email, when: now(), offset: 0 }
}
