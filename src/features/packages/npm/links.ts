import { locateRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import { Refusal, Renamed } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { mayLink } from "../packages/links.ts"
import { type Fields, isFields, textOf } from "./document.ts"

/** The repository of this server that an address leads to, by its names; undefined for any other address. */
export function repositoryAt(
  site: Pick<Site, "rootUrl" | "host">,
  address: string,
): { readonly owner: string; readonly name: string } | undefined {
  const ssh = /^(?:git\+)?ssh:\/\/(?:[^@/]*@)?([^:/]+)(?::\d+)?\/(.*)$/.exec(address) ?? /^[^@/:]+@([^:/]+):(.*)$/.exec(address)
  const path = ssh ? (ssh[1] === site.host ? ssh[2] : undefined) : webPath(site, address)
  const [, owner, name] = /^([^/?#]+)\/([^/?#]+?)(?:\.git)?\/?(?:[?#].*)?$/.exec(path ?? "") ?? []
  return owner === undefined || name === undefined ? undefined : { owner, name }
}

/** What follows the root address of this server. */
function webPath({ rootUrl }: Pick<Site, "rootUrl">, address: string): string | undefined {
  const plain = address.replace(/^git\+/, "")
  if (!URL.canParse(plain)) return undefined
  const [given, root] = [new URL(plain), new URL(rootUrl)]
  // The client that wrote the address need not know whether a proxy speaks TLS.
  if (!/^https?:$/.test(given.protocol) || given.host !== root.host) return undefined
  const prefix = `${root.pathname.replace(/\/$/, "")}/`
  return given.pathname.startsWith(prefix) ? given.pathname.slice(prefix.length) : undefined
}

/**
 * The repository that a package.json names, if a package of this owner may be linked to it: it belongs to the owner, and the publisher may write to its
 * packages. Undefined otherwise: the package is published without a link then.
 */
export async function linkNamed(
  { database, site }: Pick<Services, "database" | "site">,
  actor: SignedIn,
  owner: User,
  { repository }: Fields,
): Promise<number | undefined> {
  const address = textOf(repository) ?? (isFields(repository) ? textOf(repository["url"]) : undefined)
  const named = address === undefined ? undefined : repositoryAt(site, address)
  if (named?.owner.toLowerCase() !== owner.lower_name) return undefined
  try {
    const found = await locateRepository(database.read, actor, owner.name, named.name)
    return mayLink(found) && found.repository.owner_id === owner.id ? found.repository.id : undefined
  } catch (error) {
    if (error instanceof Refusal || error instanceof Renamed) return undefined
    throw error
  }
}
