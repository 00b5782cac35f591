import type { Services } from "../../../../core/services.ts"
import { type RemoteAddress, RemoteRefused } from "../../../code/mirrors/remote.ts"
import type { Origin } from "./origin.ts"

type Open = (services: Services, target: RemoteAddress) => Origin

const openSameApi = async (): Promise<Open> => (await import("./same-api.ts")).openSameApi

/** The kinds of servers whose records can be brought, by the word of the API. Each is loaded with the first import from it. */
const OPENERS: Readonly<Record<string, () => Promise<Open>>> = {
  gitea: openSameApi,
  gogs: openSameApi,
  github: async () => (await import("./github.ts")).openGithub,
  gitlab: async () => (await import("./gitlab.ts")).openGitlab,
}

export const servicesWithRecords: readonly string[] = Object.keys(OPENERS)

/** Throws {@link RemoteRefused} for a kind of server that has none, or an address of no repository there. */
export async function openOrigin(services: Services, service: string, target: RemoteAddress): Promise<Origin> {
  const load = OPENERS[service]
  if (!load) throw new RemoteRefused(`nothing but git can be brought from ${service}`)
  return (await load())(services, target)
}
