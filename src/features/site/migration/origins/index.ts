import type { Services } from "../../../../core/services.ts"
import { type RemoteAddress, RemoteRefused } from "../../../code/mirrors/remote.ts"
import type { Origin } from "../origin.ts"
import { openGithub } from "./github.ts"
import { openGitlab } from "./gitlab.ts"
import { openSameApi } from "./same-api.ts"

/** The kinds of servers whose records can be brought, by the word of the API. */
const OPENERS: Readonly<Record<string, (services: Services, target: RemoteAddress) => Origin>> = {
  gitea: openSameApi,
  gogs: openSameApi,
  github: openGithub,
  gitlab: openGitlab,
}

export const servicesWithRecords: readonly string[] = Object.keys(OPENERS)

/** Throws {@link RemoteRefused} for a kind of server that has none, or an address of no repository there. */
export function openOrigin(services: Services, service: string, target: RemoteAddress): Origin {
  const open = OPENERS[service]
  if (!open) throw new RemoteRefused(`nothing but git can be brought from ${service}`)
  return open(services, target)
}
